import FoundationEssentials
import Model
import Platform
import StrictJSON

/// Reads HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) and 1.1, from userd and from browsers.
extension Recording {
    /// Ignores unknown members, and requests that are not http or https. Sorts a browser's recording by time.
    package init(har bytes: [UInt8]) throws(HARError) {
        let text = bytes.withoutByteOrderMark
        do {
            let top = try JSONValue(validating: text, maximumDepth: HARLimits.depth).object()
            guard let log = top.present("log"), log.kind == .object else {
                throw HARError(place: "log", reason: "missing: this is JSON, but not HAR")
            }
            try self.init(log: log)
        } catch let error as HARError {
            throw error
        } catch let error as JSONSyntaxError {
            let place = "line \(error.line), column \(error.column)"
            throw HARError(place: place, reason: "not valid JSON: \(error.reason)")
        } catch let error as Misfit {
            throw HARError(place: error.place(in: text).description, reason: error.reason)
        } catch {
            throw HARError(reason: "\(error)")
        }
    }

    private init(log: JSONValue) throws {
        if let version = log.present("version") {
            let text = try version.text()
            guard text.isEmpty || text == "1.1" || text == "1.2" else {
                throw version.error("\"\(text.shown(upTo: 20))\" is not supported; expected 1.1 or 1.2")
            }
        }
        session = try log.present("_userd").flatMap { try Session($0.object()) }
        exchanges = []
        for entry in try log.required("entries").list(upTo: HARLimits.entries, of: "entries") {
            if let exchange = try Exchange(entry.object(), isOwn: session != nil) {
                exchanges.append(exchange)
            }
        }
        // userd's own entries are in the order of the requests, even if the clock was changed.
        guard session == nil else { return }
        exchanges = exchanges.enumerated()
            .sorted { ($0.element.began, $0.offset) < ($1.element.began, $1.offset) }.map(\.element)
    }
}

extension Recording.Session {
    /// Nil in a bug report without a recording.
    fileprivate init?(_ object: JSONValue) throws {
        guard object.present("version") != nil || object.present("settings") != nil else { return nil }
        let version = try object.required("version")
        self.init(version: try version.text())
        isTruncated = try object.flag("truncated")
        isRaw = try object.flag("raw")
        guard let settings = try object.present("settings")?.object() else { return }
        let members = settings.members(upTo: FormatLimits.members + 1) ?? []
        guard members.count <= FormatLimits.members else {
            throw settings.error("more than \(FormatLimits.members) members")
        }
        for (name, value) in members { self.settings[name] = try value.text() }
    }
}

extension Recording.Exchange {
    /// Nil for requests of other schemes in browsers' files: `data:`, `blob:`, `ws:`, …
    fileprivate init?(_ entry: JSONValue, isOwn: Bool) throws {
        let request = try entry.required("request").object()
        let address = try request.required("url")
        let text = try address.text(upTo: HARLimits.fileBytes)
        if !isOwn, let scheme = text.scheme, !["http", "https"].contains(scheme) { return nil }
        guard let url = URL(httpAddress: text) else {
            throw address.error("invalid address: \(text.shown(upTo: 100))")
        }
        let started = try entry.required("startedDateTime")
        guard let began = Timestamp(rfc3339: try started.text()) else {
            throw started.error("expected a time such as 2026-01-02T03:04:05.678Z")
        }
        self.init(
            began: began, took: try entry.present("time")?.milliseconds() ?? .zero,
            method: try request.required("method").text(), url: url,
            requestHeaders: try HTTPHeaders(har: request.present("headers")),
            outcome: try .init(entry.required("response").object()))
    }
}

extension Recording.Outcome {
    fileprivate init(_ response: JSONValue) throws {
        if let failure = response.present("_failure") {
            self = .failure(try UpstreamError(har: failure.object()), answer: try .init(response))
            return
        }
        if let missing = try response.present("_missing")?.text() {
            self = .missing(missing)
            return
        }
        if let error = try response.present("_error")?.text(), !error.isEmpty {
            self = .init(browserError: error)
            return
        }
        let status = Int(try response.required("status").number(0...999))
        guard status != 0 else {
            self = .missing("there was no answer")
            return
        }
        let content = try response.present("content")?.object()
        guard let body = try content?.body(status: status, response) else {
            let comment = try content?.present("comment")?.text() ?? ""
            self = .missing(
                "the body is not in the file" + (comment.isEmpty ? "" : ": \(comment.shown(upTo: 200))"))
            return
        }
        var headers = try HTTPHeaders(har: response.present("headers"))
        // Some browsers leave the Location out of the headers.
        if headers["Location"] == nil, 301...308 ~= status,
            let target = try response.present("redirectURL")?.text(),
            !target.isEmpty
        {
            headers["Location"] = target
        }
        self = .answer(HTTPResponse(status: status, headers: headers, body: body))
    }

    /// Chromium's names: https://chromium.googlesource.com/chromium/src/+/main/net/base/net_error_list.h
    private init(browserError name: String) {
        let words = "the browser reported \(name.shown(upTo: 100))"
        let means = { (parts: [String]) in parts.contains(where: name.contains) }
        self =
            switch name {
            case _ where means(["ABORTED", "BLOCKED", "CACHE"]): .missing(words)
            case _ where means(["TIMED_OUT"]): .failure(UpstreamError(.timeout, words))
            case _ where means(["CERT", "SSL"]): .failure(UpstreamError(.tls, words))
            case _ where means(["REDIRECT"]): .failure(UpstreamError(.redirect, words))
            case _ where means(["CONTENT_DECODING", "RESPONSE", "HTTP2", "QUIC"]):
                .failure(UpstreamError(.http, words))
            default: .failure(UpstreamError(.offline, words))
            }
    }
}

extension Recording.Unread {
    /// Nil if there was no answer.
    fileprivate init?(_ response: JSONValue) throws {
        guard let status = try response.present("status")?.number(0...999), status != 0 else { return nil }
        self.init(
            status: Int(status), headers: try HTTPHeaders(har: response.present("headers")),
            length: try response.present("content")?.object().present("size")?.count() ?? 0)
    }
}

extension JSONValue {
    /// Nil if the answer had a body that is not in the file.
    fileprivate func body(status: Int, _ response: JSONValue) throws -> [UInt8]? {
        guard let text = present("text") else {
            // userd ignores a redirect's body; 204 and 304 have none (RFC 9110, section 6.4.1).
            let isEmpty = present("size")?.double == 0 && response.present("bodySize")?.double ?? 0 <= 0
            return isEmpty || [204, 304].contains(status) || 301...308 ~= status ? [] : nil
        }
        guard let content = text.unescaped else { throw text.mistyped("a string") }
        switch try present("encoding")?.text() ?? "" {
        case "": return Array(content)
        case "base64":
            guard let decoded = Data(base64Encoded: Data(content)) else { throw text.error("invalid base64") }
            return Array(decoded)
        case let other:
            throw Misfit(self, "encoding", "\"\(other.shown(upTo: 40))\" is not supported; expected base64")
        }
    }
}

extension HTTPHeaders {
    /// Leaves out the pseudo-headers of HTTP/2.
    fileprivate init(har list: JSONValue?) throws {
        var fields: [Field] = []
        for header in try list?.list(upTo: HARLimits.headers, of: "headers") ?? [] {
            let header = try header.object()
            let name = try header.required("name").text()
            guard !name.hasPrefix(":") else { continue }
            fields.append(Field(name: name, value: try header.present("value")?.text(upTo: 1 << 20) ?? ""))
        }
        self.init(fields: fields)
    }
}

extension UpstreamError {
    fileprivate init(har object: JSONValue) throws {
        let kind = try object.required("kind")
        guard let known = Failure.Kind(rawValue: try kind.text()) else {
            throw kind.error("unknown kind of failure")
        }
        let status = try object.present("httpStatus").map { Int(try $0.number(0...999)) }
        let advice: Advice? = try? object.present("advice")?.decode()
        var failure = Failure(
            kind: known, message: try object.required("message").text(),
            retryable: try object.flag("retryable"), httpStatus: status,
            advice: advice.flatMap { $0.code.shown(upTo: 200) == $0.code ? $0 : nil })
        failure.takeAdviceFromReason()
        self.init(failure, retryAfter: try object.present("retryAfter")?.milliseconds())
    }
}

extension String {
    /// The scheme in lower case; nil if there is none (RFC 3986, section 3.1).
    fileprivate var scheme: String? {
        let name = prefix { $0 != ":" }
        guard name.endIndex < endIndex, let first = name.first, first.isASCII, first.isLetter,
            name.utf8.allSatisfy({ $0.isAlphanumeric || "+-.".utf8.contains($0) })
        else { return nil }
        return String(name).asciiLowercased
    }
}

extension JSONValue {
    /// False if missing.
    fileprivate func flag(_ name: String) throws -> Bool {
        guard let value = present(name) else { return false }
        guard let flag = value.bool else { throw value.mistyped("a boolean") }
        return flag
    }

    fileprivate func number(_ range: ClosedRange<Double>) throws -> Double {
        guard let number = double else { throw mistyped("a number") }
        guard range.contains(number) else { throw error("out of range") }
        return number
    }

    /// A count up to the largest integer that is exact in JSON (RFC 8259, section 6).
    fileprivate func count() throws -> Int { Int(try number(0...9_007_199_254_740_991)) }

    /// A duration to the microsecond, up to a day; zero for -1, which browsers write if they do not know it.
    fileprivate func milliseconds() throws -> Duration {
        let number = try number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
        return .microseconds(Int64((min(max(number, 0), 86_400_000) * 1000).rounded()))
    }
}
