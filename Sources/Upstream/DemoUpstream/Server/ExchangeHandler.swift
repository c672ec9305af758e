import Glibc
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection, one at a time.
final class ExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let respond: @Sendable (Request) -> Response
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var isTooLarge = false

    init(respond: @escaping @Sendable (Request) -> Response) {
        self.respond = respond
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body.clear()
            isTooLarge = false
        case .body(var part):
            isTooLarge = isTooLarge || body.readableBytes + part.readableBytes > Self.bodyLimit
            if !isTooLarge { body.writeBuffer(&part) }
        case .end:
            guard let head else { return }
            answer(head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard !isTooLarge else {
            let reply = Reply(.payloadTooLarge)
            ResponseWriter(head, Response { .reply(reply) }, context).send(reply)
            return
        }
        let response = respond(Request(head, body: body))
        let writer = ResponseWriter(head, response, context)
        guard response.milliseconds > 0 else {
            react(response.reaction(), writer, context)
            return
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(response.milliseconds))) {
            self.react(response.reaction(), writer, context)
        }
    }

    private func react(_ reaction: Reaction, _ writer: ResponseWriter, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        switch reaction {
        case .reply(let reply): writer.send(reply)
        case .stall(let reply): writer.sendHeaders(reply)
        case .later(let work):
            context.eventLoop.makeFutureWithTask { await work() }
                .assumeIsolated().whenSuccess { writer.send(Reply($0.status, .json, Body($0.json))) }
        case .reset:
            // With a linger time of zero, close sends RST instead of FIN (socket(7)).
            if let options = context.channel as? any SocketOptionProvider {
                _ = options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            context.close(promise: nil)
        case .raw(let bytes):
            guard
                let encoder = try? context.pipeline.syncOperations.context(
                    handlerType: HTTPResponseEncoder.self)
            else { return }
            encoder.writeAndFlush(NIOAny(bytes), promise: nil)
            context.close(promise: nil)
        }
    }

    private static let bodyLimit = 1 << 20
}
