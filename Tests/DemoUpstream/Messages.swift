import FoundationEssentials
import NIOCore
import NIOHTTP1

/// A complete request.
package struct Request: Sendable {
    let method: HTTPMethod
    /// With the query, as sent.
    package let uri: String
    /// Without the query and a final slash.
    package let path: String
    /// Names are in lower case; the last of several headers with the same name counts.
    package let headers: [String: String]
    let body: ByteBuffer
    /// Parameters of the query, and numbers of a posted JSON object; the last of duplicates counts.
    let parameters: [String: String]

    init(_ head: HTTPRequestHead, body: ByteBuffer) {
        let parts = URLComponents(string: head.uri)
        var path = parts?.path ?? head.uri
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        (method, uri, self.path, self.body) = (head.method, head.uri, path, body)
        headers = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
        let posted = try? JSONDecoder().decode([String: Int].self, from: Data(body.readableBytesView))
        let numbers = posted?.map { ($0.key, String($0.value)) } ?? []
        parameters = Dictionary((parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") } + numbers) { $1 }
    }

    /// A number of the parameters; nil if it is outside the range.
    func number(_ name: String, _ range: ClosedRange<Int> = .min ... .max) -> Int? {
        parameters[name].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }

    /// The address of this request with another value of a parameter.
    func uri(with name: String, _ value: String) -> String {
        var parts = URLComponents(string: uri)
        let others = parts?.queryItems?.filter { $0.name != name } ?? []
        parts?.queryItems = others + [URLQueryItem(name: name, value: value)]
        return parts?.string ?? uri
    }
}

struct Reply: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: Body

    init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders = [:], _ body: Body = Body("")) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    static func json(_ text: String, _ status: HTTPResponseStatus = .ok) -> Reply {
        Reply(status, ["content-type": "application/json"], Body(text))
    }

    /// Whether a response with this status has a body (RFC 9110, section 6.4.1).
    var mayHaveBody: Bool { status.mayHaveResponseBody && status.code != 304 }
}

/// A response body, made piece by piece as the client takes it.
struct Body: Sendable {
    /// Starts from the first piece at each call. No piece is empty.
    let pieces: @Sendable () -> AnyIterator<ByteBuffer>

    init(pieces: @escaping @Sendable () -> AnyIterator<ByteBuffer>) { self.pieces = pieces }
    init(_ text: String) { self.init(ByteBuffer(string: text)) }

    init(_ bytes: ByteBuffer) {
        self.init { AnyIterator([bytes].filter { $0.readableBytes > 0 }.makeIterator()) }
    }

    /// A list between two texts; `write` appends the element at a position.
    static func list(
        _ opening: String, _ positions: Range<Int>, _ ending: String, _ effects: FaultEffects,
        write: @escaping @Sendable (Int, inout String) -> Void
    ) -> Body {
        Body {
            var left = effects.cutOff == nil ? positions : positions.prefix(positions.count / 2)
            var (separator, isEnded) = (opening, false)
            return AnyIterator {
                if isEnded { return nil }
                var out = ""
                out.reserveCapacity(pieceSize + 4096)
                while out.utf8.count < pieceSize, let position = left.popFirst() {
                    out += separator
                    write(position, &out)
                    separator = ","
                }
                isEnded = left.isEmpty
                if isEnded { out += (separator == "," ? "" : opening) + (effects.cutOff ?? ending) }
                return ByteBuffer(string: out)
            }
        }
    }

    /// Repeats the last piece without end.
    static func endless(_ first: ByteBuffer, then last: ByteBuffer) -> Body {
        Body { AnyIterator(sequence(first: first) { _ in last }) }
    }

    /// All pieces as one.
    func joined() -> ByteBuffer { pieces().reduce(into: ByteBuffer()) { $0.writeImmutableBuffer($1) } }

    /// The size of a piece before it is sent, except for the last.
    static let pieceSize = 64 * 1024
}
