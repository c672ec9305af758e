import Foundation
import Model
import StrictJSON
import TestSupport
import Testing

@testable import HTTP

@Suite("Recordings as HAR")
struct HARRoundTripTests {
    @Test("A recording that is written and read back stays the same", arguments: 0..<40 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let recording = Recording.random(&random)
        #expect(try Recording(har: recording.har()) == recording)
    }

    @Test("A body that is text is written unchanged, and any other in base64")
    func bodies() throws {
        let text = try entry(body: Array("{\"a\": \"ü\\n\u{0}\"}".utf8))["response"]?["content"]
        #expect(text?["text"]?.string == "{\"a\": \"ü\\n\u{0}\"}")
        #expect(text?["encoding"] == nil)
        #expect(text?["size"]?.int == 14)
        let binary = try entry(body: [0xFF, 0xD8, 0])["response"]?["content"]
        #expect(binary?["text"]?.string == "/9gA")
        #expect(binary?["encoding"]?.string == "base64")
        #expect(binary?["mimeType"]?.string == "image/jpeg")
    }

    @Test("userd's own recordings keep the order of requests, even if the clock was changed")
    func ownOrder() throws {
        let later = Recording.Exchange(
            began: now + .seconds(5), took: .zero, url: api, outcome: .missing("a"))
        let earlier = Recording.Exchange(began: now, took: .zero, url: api, outcome: .missing("b"))
        var recording = Recording(exchanges: [later, earlier], session: .init(version: "1"))
        #expect(try Recording(har: recording.har()).exchanges == [later, earlier])
        recording.session = nil
        #expect(try Recording(har: recording.har()).exchanges == [earlier, later])
    }

    @Test("Calls in recordings of version 0.1 are ignored, and the rest is read")
    func older() throws {
        let har =
            #"{"log":{"_userd":{"version":"0.1","transitions":4},"entries":[],"_calls":[{"method":"Stop"}]}}"#
        #expect(
            try Recording(har: Array(har.utf8)) == Recording(exchanges: [], session: .init(version: "0.1")))
    }

    @Test("Further members of _userd are written, and do not change the recording")
    func told() throws {
        var random = SeededRandom(seed: 1)
        var recording = Recording.random(&random)
        recording.session = .init(version: "1", settings: ["paused": "true"])
        let har = recording.har(telling: JSONValue(trusting: Array(#"{"states":[1]}"#.utf8)))
        #expect(try Recording(har: har) == recording)
        let log = try JSONValue(validating: har, maximumDepth: 16)["log"]
        #expect(log?["_userd"]?["states"]?.elements?.count == 1)
        #expect(log?["_userd"]?["settings"]?["paused"]?.string == "true")
    }

    @Test("Every entry has all members that HAR 1.2 requires")
    func members() throws {
        let entry = try entry(body: [])
        let request = try #require(entry["request"])
        let response = try #require(entry["response"])
        func names(_ value: JSONValue?) -> Set<String> { Set(value?.members?.map(\.name) ?? []) }
        #expect(
            names(entry).isSuperset(of: [
                "startedDateTime", "time", "request", "response", "cache", "timings",
            ]))
        #expect(
            names(request).isSuperset(of: [
                "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize",
                "bodySize",
            ]))
        #expect(
            names(response).isSuperset(of: [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL",
                "headersSize",
                "bodySize",
            ]))
        #expect(names(entry["timings"]).isSuperset(of: ["send", "wait", "receive"]))
        #expect(entry["startedDateTime"]?.string == "2026-01-02T03:04:05.000Z")
        #expect(entry["time"]?.double == 1.5)
        #expect(request["queryString"]?.elements?.map { $0["value"]?.string } == ["b c", ""])
        #expect(response["redirectURL"]?.string == "/x")
    }

    /// The only entry of a recording that has an answer with this body.
    private func entry(body: [UInt8]) throws -> JSONValue {
        let exchange = Recording.Exchange(
            began: now, took: .microseconds(1500), url: URL(string: "https://a.example/?a=b%20c&d")!,
            outcome: .answer(
                HTTPResponse(
                    status: 200, headers: ["Content-Type": "image/jpeg", "location": "/x"], body: body)))
        let text = Recording(exchanges: [exchange]).har()
        let log = try #require(JSONValue(validating: text, maximumDepth: 16)["log"])
        #expect(log["version"]?.string == "1.2")
        #expect(log["creator"]?["name"]?.string == "userd")
        return try #require(log["entries"]?.elements?.first)
    }
}

extension Recording {
    static func random(_ random: inout SeededRandom) -> Recording {
        var began = now
        let exchanges = (0..<Int.random(in: 0...6, using: &random)).map { _ in
            began = began + .milliseconds(Int.random(in: 0...5000, using: &random))
            return Exchange.random(began, &random)
        }
        guard Bool.random(using: &random) else { return Recording(exchanges: exchanges) }
        var session = Session(version: "1.2.3")
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            session.settings[.random(&random)] = .random(&random)
        }
        session.isTruncated = Bool.random(using: &random)
        session.isRaw = Bool.random(using: &random)
        return Recording(exchanges: exchanges, session: session)
    }
}

extension Recording.Exchange {
    static func random(_ began: Timestamp, _ random: inout SeededRandom) -> Recording.Exchange {
        let query =
            Bool.random(using: &random) ? "?page=\(Int.random(in: 0...9, using: &random))&x=%C3%BC" : ""
        return Recording.Exchange(
            began: began, took: .microseconds(Int.random(in: 0...90_000_000, using: &random)),
            method: ["GET", "HEAD", "POST"].randomElement(using: &random)!,
            url: URL(string: "http://127.0.0.1:8080/api/\(query)")!, requestHeaders: .random(&random),
            outcome: .random(&random))
    }
}

extension Recording.Outcome {
    static func random(_ random: inout SeededRandom) -> Recording.Outcome {
        switch Int.random(in: 0...3, using: &random) {
        case 0: return .missing(.random(&random))
        case 1:
            let failure = Failure(
                kind: Failure.Kind.allCases.randomElement(using: &random)!, message: .random(&random),
                retryable: Bool.random(using: &random),
                httpStatus: Bool.random(using: &random) ? Int.random(in: 100...599, using: &random) : nil)
            let wait = Int.random(in: 0...86_400_000, using: &random)
            let answer = Recording.Unread(
                status: Int.random(in: 100...599, using: &random), headers: .random(&random),
                length: Int.random(in: 0...1 << 40, using: &random))
            return .failure(
                UpstreamError(failure, retryAfter: Bool.random(using: &random) ? .milliseconds(wait) : nil),
                answer: Bool.random(using: &random) ? answer : nil)
        default:
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            return .answer(
                HTTPResponse(
                    status: Int.random(in: 100...599, using: &random), headers: .random(&random),
                    body: Bool.random(using: &random) ? bytes : Array(String.random(&random).utf8)))
        }
    }
}

extension HTTPHeaders {
    fileprivate static func random(_ random: inout SeededRandom) -> HTTPHeaders {
        let names = ["ETag", "content-type", "Link", "Retry-After", "X-\u{1}"]
        return HTTPHeaders(
            fields: (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Field(name: names.randomElement(using: &random)!, value: .random(&random))
            })
    }
}

extension String {
    fileprivate static func random(_ random: inout SeededRandom) -> String {
        let scalars = Array("ab\"\\/{}\u{0}\u{1}\n\r\t\u{7F}ü€😀\u{FEFF}\u{2028}".unicodeScalars)
        var text = ""
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random)!)
        }
        return text
    }
}

private let api = URL(string: "https://users.example/api/")!
private let now = Timestamp(rfc3339: "2026-01-02T03:04:05Z")!
