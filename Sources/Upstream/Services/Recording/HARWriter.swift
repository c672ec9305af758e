import FoundationEssentials
import Model
import StrictJSON

extension Recording {
    /// HAR 1.2, a line for each exchange. `_failure`, `_missing`, `_userd` and `_calls` are userd's own.
    package func har() -> [UInt8] {
        var bytes = HARText.beginning(session)
        for (index, exchange) in exchanges.enumerated() {
            if index > 0 { bytes += HARText.separator }
            bytes += HARText.entry(exchange)
        }
        return bytes + HARText.end(calls)
    }
}

/// The parts of a HAR file.
enum HARText {
    static let separator = Array(",\n".utf8)

    static func end(_ calls: [Recording.Call]) -> [UInt8] {
        let made = calls.isEmpty ? [] : Array(#","_calls":"#.utf8) + Recording.Call.json(calls)
        return Array("\n]".utf8) + made + Array("}}\n".utf8)
    }

    static func beginning(_ session: Recording.Session?) -> [UInt8] {
        let creator = json(Named(name: "userd", version: session?.version ?? version))
        let userd = session.map { session in
            Array(#","_userd":"#.utf8)
                + json(
                    Userd(
                        version: session.version, settings: session.settings,
                        truncated: session.isTruncated ? true : nil, transitions: session.transitions))
        }
        return Array(#"{"log":{"version":"1.2","creator":"#.utf8) + creator + (userd ?? [])
            + Array(#","entries":["#.utf8) + [UInt8(ascii: "\n")]
    }

    static func entry(_ exchange: Recording.Exchange) -> [UInt8] { json(Entry(exchange)) }

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
    var transitions: Int?
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

/// The client does not say how the time was spent.
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
    var bodySize = 0

    init(_ exchange: Recording.Exchange) {
        method = exchange.method
        url = exchange.url.absoluteString
        headers = Field.all(of: exchange.requestHeaders)
        queryString = QueryParameters(exchange.url.query(percentEncoded: true) ?? "").all.map(Field.init)
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
        let answer = if case .answer(let response) = outcome { response } else { HTTPResponse(status: 0) }
        status = answer.status
        headers = Field.all(of: answer.headers)
        content = Content(answer)
        redirectURL = answer.headers["Location"] ?? ""
        switch outcome {
        case .answer: break
        case .failure(let error): failure = UpstreamFailure(error)
        case .missing(let reason): missing = reason
        }
    }
}

private struct Content: Encodable {
    var size: Int
    var mimeType: String
    var text: String
    var encoding: String?

    init(_ response: HTTPResponse) {
        size = response.body.count
        mimeType = response.headers["Content-Type"] ?? "x-unknown"
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

    init(_ error: UpstreamError) {
        kind = error.failure.kind.rawValue
        message = error.failure.message
        retryable = error.failure.retryable
        httpStatus = error.failure.httpStatus
        retryAfter = error.retryAfter?.inMilliseconds
    }
}

extension Duration {
    /// To the microsecond.
    fileprivate var inMilliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}
