import NIOCore
import NIOHTTP1

/// A complete request.
struct Request: Sendable {
    let method: HTTPMethod
    /// As sent.
    let uri: String
    /// Without the query and a final slash.
    let path: String
    let headers: HTTPHeaders
    let body: ByteBuffer

    init(_ head: HTTPRequestHead, body: ByteBuffer = ByteBuffer()) {
        method = head.method
        uri = head.uri
        headers = head.headers
        self.body = body
        var path = head.uri.prefix { $0 != "?" && $0 != "#" }
        while path.count > 1, path.last == "/" { path.removeLast() }
        self.path = String(path)
    }

    /// Query parameters; of duplicates the last counts, as in PHP.
    var parameters: [String: String] { Dictionary(Self.pairs(query)) { $1 } }

    /// Those of a body of type `application/x-www-form-urlencoded`.
    var form: [String: String] {
        Dictionary(Self.pairs(Substring(decoding: body.readableBytesView, as: UTF8.self))) { $1 }
    }

    /// The address of this request with another value of a parameter.
    func uri(with name: String, _ value: String) -> String {
        let others = query.split(separator: "&").filter { Self.pairs($0).first?.0 != name }
        return path + "?" + (others + ["\(name)=\(value)"]).joined(separator: "&")
    }

    private var query: Substring {
        guard let mark = uri.firstIndex(of: "?") else { return "" }
        return uri[uri.index(after: mark)...].prefix { $0 != "#" }
    }

    private static func pairs(_ text: Substring) -> [(String, String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// `+` is a space; an invalid percent sequence is literal.
    static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var left = text.utf8
        while let byte = left.popFirst() {
            if byte == UInt8(ascii: "%"), left.count >= 2,
                let value = UInt8(String(decoding: left.prefix(2), as: UTF8.self), radix: 16)
            {
                left = left.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A valid HTTP response.
struct Reply {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: Body

    init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:], _ body: Body = Body(ByteBuffer())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether a response with this status has a body (RFC 9110, section 6.4.1).
    var mayHaveBody: Bool { status.mayHaveResponseBody && status.code != 304 }
}

extension HTTPHeaders {
    static let json: HTTPHeaders = ["content-type": "application/json"]
}

/// The server's handling of one request.
struct Response {
    var milliseconds = 0
    var bytesPerSecond: Int?
    var truncates = false
    /// Called after the delay.
    var reaction: () -> Reaction

    init(reaction: @escaping () -> Reaction) {
        self.reaction = reaction
    }
}

enum Reaction {
    case reply(Reply)
    case later(@Sendable () async -> ControlReply)
    /// Sends only the headers and keeps the connection open.
    case stall(Reply)
    case reset
    /// Sends these bytes, then closes.
    case raw(ByteBuffer)
}
