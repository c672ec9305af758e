import FoundationEssentials
import Model
import StrictJSON

extension Recording {
    /// HAR 1.2, one line for each exchange. `_failure`, `_missing` and `_userd` are userd's own.
    ///
    /// - Parameters:
    ///   - creator: the program that made the file.
    ///   - told: an object with more members for `_userd`.
    package func har(creator: String = "userd", telling told: JSONValue? = nil) -> [UInt8] {
        var bytes = HARText.beginning(session, creator: creator, telling: told)
        for (index, exchange) in exchanges.enumerated() {
            if index > 0 { bytes += HARText.separator }
            bytes += HARText.entry(exchange)
        }
        return bytes + HARText.end
    }
}

/// The parts of a HAR file.
package enum HARText {
    package static let separator = Array(",\n".utf8)
    package static let end = Array("\n]}}\n".utf8)

    package static func beginning(
        _ session: Recording.Session?, creator: String = "userd", telling told: JSONValue? = nil
    ) -> [UInt8] {
        let creator = JSONObjectWriter {
            $0.member("name", creator)
            $0.member("version", session?.version ?? version)
        }
        let userd = JSONObjectWriter { userd in
            if let session { userd.add(session) }
            for (name, value) in told?.members ?? [] { userd.member(JSONName(name), json: value.raw) }
        }
        let hasMembers = session != nil || told?.members?.isEmpty == false
        return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + creator.json
            + (hasMembers ? Array(#","_userd":"#.utf8) + userd.json : [])
            + Array(#","entries":["#.utf8) + [UInt8(ascii: "\n")]
    }

    package static func entry(_ exchange: Recording.Exchange) -> [UInt8] {
        let time = exchange.took.inMilliseconds
        return JSONObjectWriter { entry in
            entry.object("cache") { _ in }
            entry.object("request") { $0.add(exchange) }
            entry.object("response") { $0.add(exchange.outcome) }
            entry.member("startedDateTime", exchange.began.description)
            entry.member("time", time)
            // All time is in `wait`, because the client does not measure the parts.
            entry.object("timings") { timings in
                timings.member("receive", 0)
                timings.member("send", 0)
                timings.member("wait", time)
            }
        }.json
    }
}

/// Members are in the order of their names.
extension JSONObjectWriter {
    fileprivate mutating func add(_ session: Recording.Session) {
        if session.isRaw { member("raw", true) }
        object("settings") { settings in
            for (name, value) in session.settings.sorted(by: { $0.key < $1.key }) {
                settings.member(JSONName(name), value)
            }
        }
        if session.isTruncated { member("truncated", true) }
        member("version", session.version)
    }

    /// Adds the request. A body may hold a secret, so it is not recorded.
    fileprivate mutating func add(_ exchange: Recording.Exchange) {
        let items = URLComponents(url: exchange.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        member("bodySize", exchange.method == "GET" ? 0 : -1)
        fields("cookies", [])
        fields("headers", exchange.requestHeaders.fields.map { ($0.name, $0.value) })
        member("headersSize", -1)
        member("httpVersion", "HTTP/1.1")
        member("method", exchange.method)
        fields("queryString", items.map { ($0.name, $0.value ?? "") })
        member("url", exchange.url.absoluteString)
    }

    /// Adds the response.
    fileprivate mutating func add(_ outcome: Recording.Outcome) {
        var (status, headers, length, body): (Int, HTTPHeaders, Int, [UInt8]?) = (0, [:], 0, [])
        switch outcome {
        case .answer(let answer):
            (status, headers, length) = (answer.status, answer.headers, answer.body.count)
            body = answer.body
        case .failure(let error, let answer):
            object("_failure") { $0.add(error) }
            guard let answer else { break }
            (status, headers, length, body) = (answer.status, answer.headers, answer.length, nil)
        case .missing(let reason): member("_missing", reason)
        }
        member("bodySize", -1)
        object("content") { content in
            let text = body.flatMap { String(validating: $0, as: UTF8.self) }
            if body != nil, text == nil { content.member("encoding", "base64") }
            content.member("mimeType", headers["Content-Type"] ?? "x-unknown")
            content.member("size", length)
            content.member("text", text ?? body.map { Data($0).base64EncodedString() })
        }
        fields("cookies", [])
        fields("headers", headers.fields.map { ($0.name, $0.value) })
        member("headersSize", -1)
        member("httpVersion", "HTTP/1.1")
        member("redirectURL", headers["Location"] ?? "")
        member("status", status)
        member("statusText", "")
    }

    private mutating func add(_ error: UpstreamError) {
        member("advice", error.failure.advice?.code)
        member("httpStatus", error.failure.httpStatus)
        member("kind", error.failure.kind.rawValue)
        member("message", error.failure.message)
        member("retryAfter", error.retryAfter?.inMilliseconds)
        member("retryable", error.failure.retryable)
    }

    private mutating func fields(_ name: JSONName, _ fields: [(name: String, value: String)]) {
        objects(name, fields) { field, content in
            field.member("name", content.name)
            field.member("value", content.value)
        }
    }
}

extension Duration {
    /// Milliseconds, to the microsecond.
    fileprivate var inMilliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
