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
        let own = session.map { session in
            json(
                Userd(
                    version: session.version, settings: session.settings,
                    truncated: session.isTruncated ? true : nil, raw: session.isRaw ? true : nil))
        }
        let members = [own.map(JSONValue.init(trusting:)), told].flatMap { $0?.members ?? [] }
        let userd = StrictJSON.object(members.map { ($0.name, Array($0.value.raw)) })
        return Array(#"{"log":{"version":"1.2","creator":"#.utf8)
            + json(Named(name: creator, version: session?.version ?? version))
            + (members.isEmpty ? [] : Array(#","_userd":"#.utf8) + userd)
            + Array(#","entries":["#.utf8) + [UInt8(ascii: "\n")]
    }

    package static func entry(_ exchange: Recording.Exchange) -> [UInt8] { json(Entry(exchange)) }

    private static func json(_ value: some Encodable) -> [UInt8] {
        do { return try StrictJSON.encode(value) } catch { preconditionFailure("\(error)") }
    }
}

private struct Named: Encodable {
    var name: String
    var version: String
}

private struct Userd: Encodable {
    var version: String
    var settings: [String: String]
    var truncated: Bool?
    var raw: Bool?
}

private struct Field: Encodable {
    var name: String
    var value: String

    static func all(of headers: HTTPHeaders) -> [Field] {
        headers.fields.map { Field(name: $0.name, value: $0.value) }
    }
}

private struct Entry: Encodable {
    var startedDateTime: String
    var time: Double
    var request: Request
    var response: Response
    var cache: [String: String] = [:]
    var timings: Timings

    init(_ exchange: Recording.Exchange) {
        startedDateTime = exchange.began.description
        time = exchange.took.inMilliseconds
        request = Request(exchange)
        response = Response(exchange.outcome)
        timings = Timings(wait: time)
    }
}

/// All time is in `wait`, because the client does not measure the parts.
private struct Timings: Encodable {
    var send = 0
    var wait: Double
    var receive = 0
}

private struct Request: Encodable {
    var method: String
    var url: String
    var httpVersion = "HTTP/1.1"
    var cookies: [Field] = []
    var headers: [Field]
    var queryString: [Field]
    var headersSize = -1
    var bodySize: Int

    init(_ exchange: Recording.Exchange) {
        method = exchange.method
        url = exchange.url.absoluteString
        // A body may hold a secret, so it is not recorded.
        bodySize = method == "GET" ? 0 : -1
        headers = Field.all(of: exchange.requestHeaders)
        let items = URLComponents(url: exchange.url, resolvingAgainstBaseURL: true)?.queryItems
        queryString = (items ?? []).map { Field(name: $0.name, value: $0.value ?? "") }
    }
}

private struct Response: Encodable {
    var status: Int
    var statusText = ""
    var httpVersion = "HTTP/1.1"
    var cookies: [Field] = []
    var headers: [Field]
    var content: Content
    var redirectURL: String
    var headersSize = -1
    var bodySize = -1
    var failure: UpstreamFailure?
    var missing: String?

    enum CodingKeys: String, CodingKey {
        case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        case failure = "_failure"
        case missing = "_missing"
    }

    init(_ outcome: Recording.Outcome) {
        var read: HTTPHeaders = [:]
        (status, content) = (0, Content(size: 0, mimeType: "x-unknown", text: ""))
        switch outcome {
        case .answer(let response):
            (status, read, content) = (response.status, response.headers, Content(response))
        case .failure(let error, let answer):
            failure = UpstreamFailure(error)
            guard let answer else { break }
            (status, read) = (answer.status, answer.headers)
            content = Content(size: answer.length, mimeType: read.mimeType)
        case .missing(let reason): missing = reason
        }
        headers = Field.all(of: read)
        redirectURL = read["Location"] ?? ""
    }
}

private struct Content: Encodable {
    var size: Int
    var mimeType: String
    var text: String?
    var encoding: String?
}

extension HTTPHeaders {
    fileprivate var mimeType: String { self["Content-Type"] ?? "x-unknown" }
}

extension Content {
    init(_ response: HTTPResponse) {
        self.init(size: response.body.count, mimeType: response.headers.mimeType)
        if let text = String(validating: response.body, as: UTF8.self) {
            self.text = text
        } else {
            text = Data(response.body).base64EncodedString()
            encoding = "base64"
        }
    }
}

private struct UpstreamFailure: Encodable {
    var kind: String
    var message: String
    var retryable: Bool
    var httpStatus: Int?
    /// In milliseconds.
    var retryAfter: Double?
    var advice: Advice?

    init(_ error: UpstreamError) {
        advice = error.failure.advice
        kind = error.failure.kind.rawValue
        message = error.failure.message
        retryable = error.failure.retryable
        httpStatus = error.failure.httpStatus
        retryAfter = error.retryAfter?.inMilliseconds
    }
}

extension Duration {
    /// Milliseconds, to the microsecond.
    fileprivate var inMilliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
