import AsyncHTTPClient
import FoundationEssentials
import HTTP
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression

/// One request and its complete answer, within the size limit.
struct HTTPExchange {
    let client: HTTPClient
    let request: HTTPRequest
    let limits: HTTPLimits
    let userAgent: String

    private var maximumBytes: Int { min(request.maximumBodyBytes ?? .max, limits.maxResponseBytes) }

    /// Throws `AnswerCutOff` on cancellation, `UpstreamError` for an unacceptable answer, and the client's own errors
    /// for a failed connection.
    func run() async throws -> HTTPResponse {
        var progress = AnswerProgress.nothing
        do {
            return try await answer(&progress)
        } catch  where Task.isCancelled && !(error is UpstreamError) {
            // After a cancellation, any error counts as the cancellation.
            throw AnswerCutOff(url: request.url, progress: progress)
        }
    }

    private func answer(_ progress: inout AnswerProgress) async throws -> HTTPResponse {
        var message = HTTPClientRequest(url: request.url.withoutFinalDot.absoluteString)
        if request.headers["User-Agent"] == nil { message.headers.add(name: "User-Agent", value: userAgent) }
        // Not deflate, which servers send in two forms (RFC 9110, section 8.4.1.2).
        message.headers.add(name: "Accept-Encoding", value: "gzip")
        if let body = request.body {
            message.method = .POST
            message.body = .bytes(body)
        }
        for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
        // The transport enforces the deadline by cancelling.
        let answer = try await client.execute(message, deadline: .distantFuture)
        try checkEncoding(answer.headers)
        return HTTPResponse(
            status: Int(answer.status.code),
            headers: HTTPHeaders(fields: answer.headers.map { .init(name: $0.name, value: $0.value) }),
            body: try await body(of: answer, &progress))
    }

    /// The client removes one layer of gzip or deflate and passes any other encoding on as content.
    private func checkEncoding(_ headers: NIOHTTP1.HTTPHeaders) throws {
        let codings = headers[canonicalForm: "Content-Encoding"]
        guard codings.count > 1 || codings.contains(where: { !["gzip", "deflate"].contains($0) })
        else { return }
        let list = codings.prefix(5).joined(separator: ", ")
        throw UpstreamError(
            .decode, "\(request.url.shown) used a content encoding that userd does not support: \(list)")
    }

    private func body(
        of answer: HTTPClientResponse, _ progress: inout AnswerProgress
    ) async throws -> [UInt8] {
        let isEncoded = answer.headers.contains(name: "Content-Encoding")
        // The length of an encoded body is not that of its content.
        let announced = isEncoded ? nil : answer.headers.first(name: "Content-Length").flatMap(Int.init)
        if let announced, announced > maximumBytes { throw tooLarge }
        progress = .body(bytes: 0, of: announced)
        var body: [UInt8] = []
        // An upstream may announce more than it sends.
        body.reserveCapacity(min(announced ?? 0, 8 << 20))
        do {
            for try await part in answer.body {
                guard part.readableBytes <= maximumBytes - body.count else { throw tooLarge }
                body.append(contentsOf: part.readableBytesView)
                progress = .body(bytes: body.count, of: announced)
            }
        } catch  where !isEncoded && !(error is UpstreamError) {
            guard let verb = connectionLoss(error) else { throw error }
            let of = announced.map { " of \($0)" } ?? ""
            throw UpstreamError(
                .offline,
                "\(request.url.shown) \(verb) the connection after \(body.count)\(of) bytes of its answer")
        }
        // On cancellation, the sequence may end without an error.
        try Task.checkCancellation()
        return body
    }

    private var tooLarge: UpstreamError { .tooLarge(request.url, maximumBytes) }
}

/// Tells the decompressor, which follows, what the content is encoded with.
final class ContentCodings: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// IANA's registry of content codings, and what servers send besides. Other words, such as `UTF-8` and `none`, are
    /// none.
    private static let all: Set = [
        "aes128gcm", "br", "bzip2", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "lz4", "lzma",
        "pack200-gzip", "snappy", "x-bzip2", "x-compress", "x-gzip", "xz", "zstd",
    ]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), head.headers.contains(name: "Content-Encoding")
        else { return context.fireChannelRead(data) }
        let named = head.headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        head.headers.remove(name: "Content-Encoding")
        // A 304 has no content, and may name the coding of the whole answer (RFC 9110, section 15.4.5).
        for coding in named where head.status != .notModified && Self.all.contains(coding) {
            head.headers.add(name: "Content-Encoding", value: coding == "x-gzip" ? "gzip" : coding)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Puts one before the decompressor of a connection.
    static func add(to channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decompressor = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
            try pipeline.addHandler(ContentCodings(), position: .before(decompressor))
        }
    }
}
