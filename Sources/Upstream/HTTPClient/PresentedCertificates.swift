import FoundationEssentials
import HTTP
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// The certificates that a server presents, its own first. Connects without verification, and closes after the
/// handshake.
func presentedCertificates(of url: URL, within timeout: Duration) async throws -> [NIOSSLCertificate] {
    try await overConnection(to: url, within: timeout) { host, presented in
        [try askingForCertificates(of: host, presented)]
    }
}

/// Performs the client's handshake, then closes. Throws errors of the lower layers.
/// - Returns: the server's certificate.
func handshake(
    with url: URL, within timeout: Duration, trusting roots: TrustRoots
) async throws -> NIOSSLCertificate? {
    try await overConnection(to: url, within: timeout) { host, done in
        let tls = try NIOSSLClientHandler(
            context: NIOSSLContext(configuration: .userd(additionalTrustRoots: roots)),
            serverHostname: host.isAddress ? nil : host.text)
        return [tls, HandshakeWatch(done)]
    }
}

/// Keeps a connection until the handlers complete their promise or the time is up.
private func overConnection<Value: Sendable>(
    to url: URL, within timeout: Duration,
    _ handlers: @escaping @Sendable (_ host: HTTPHost, EventLoopPromise<Value>) throws -> [any ChannelHandler]
) async throws -> Value {
    guard let origin = HTTPOrigin(url) else { throw ChannelError.unknownLocalAddress }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let promise = loop.makePromise(of: Value.self)
    let limit = loop.scheduleTask(in: TimeAmount(timeout)) {
        promise.fail(ChannelError.connectTimeout(TimeAmount(timeout)))
    }
    let connected = ClientBootstrap(group: loop).connectTimeout(TimeAmount(timeout))
        .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(handlers(origin.host, promise))
            }
        }
        .connect(host: origin.host.text, port: origin.port)
    connected.whenFailure { promise.fail($0) }
    connected.whenSuccess { channel in
        channel.closeFuture.whenComplete { _ in promise.fail(ChannelError.eof) }
    }
    promise.futureResult.whenComplete { _ in
        limit.cancel()
        // Not in the callback of the TLS handler, which is still running.
        connected.whenSuccess { channel in loop.execute { channel.close(promise: nil) } }
    }
    return try await withTaskCancellationHandler {
        try await promise.futureResult.get()
    } onCancel: {
        promise.fail(CancellationError())
    }
}

/// Reports the outcome of a handshake.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let done: EventLoopPromise<NIOSSLCertificate?>

    init(_ done: EventLoopPromise<NIOSSLCertificate?>) { self.done = done }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted = event as? TLSUserEvent else { return }
        done.succeed(try? context.channel.pipeline.syncOperations.nioSSL_peerCertificate())
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { done.fail(error) }
}

private func askingForCertificates(
    of host: HTTPHost, _ presented: EventLoopPromise<[NIOSSLCertificate]>
) throws -> NIOSSLClientHandler {
    var tls = TLSConfiguration.userd()
    // The callback replaces verification, so no roots are needed.
    tls.trustRoots = .certificates([])
    return try NIOSSLClientHandler(
        context: NIOSSLContext(configuration: tls), serverHostname: host.isAddress ? nil : host.text,
        customVerificationCallback: { chain, verdict in
            presented.succeed(chain)
            verdict.succeed(.failed)
        })
}
