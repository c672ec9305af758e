import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL

/// The certificates that a server shows, its own first: asked for over a connection that trusts nothing, sends nothing but
/// what begins a handshake, and ends with them.
func presentedCertificates(of url: URL, within timeout: Duration) async throws -> [NIOSSLCertificate] {
    guard let host = url.host()?.trimmingPrefix("[").prefix(while: { $0 != "]" }) else { return [] }
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let presented = loop.makePromise(of: [NIOSSLCertificate].self)
    let limit = loop.scheduleTask(in: TimeAmount(timeout)) {
        presented.fail(ChannelError.connectTimeout(TimeAmount(timeout)))
    }
    let connected = ClientBootstrap(group: loop).connectTimeout(TimeAmount(timeout))
        .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    askingForCertificates(of: String(host), presented))
            }
        }
        .connect(host: String(host), port: url.port ?? 443)
    connected.whenFailure { presented.fail($0) }
    connected.whenSuccess { channel in
        channel.closeFuture.whenComplete { _ in presented.fail(ChannelError.eof) }
    }
    presented.futureResult.whenComplete { _ in
        limit.cancel()
        // Not from within the callback of the TLS handler, which is still at work.
        connected.whenSuccess { channel in loop.execute { channel.close(promise: nil) } }
    }
    return try await withTaskCancellationHandler {
        try await presented.futureResult.get()
    } onCancel: {
        presented.fail(CancellationError())
    }
}

private func askingForCertificates(
    of host: String, _ presented: EventLoopPromise<[NIOSSLCertificate]>
) throws -> NIOSSLClientHandler {
    var tls = TLSConfiguration.makeClientConfiguration()
    // The callback takes the place of verification; without roots there would be nothing to verify by either.
    tls.trustRoots = .certificates([])
    tls.applicationProtocols = ["http/1.1"]
    return try NIOSSLClientHandler(
        context: NIOSSLContext(configuration: tls), serverHostname: isAddress(host) ? nil : host,
        customVerificationCallback: { chain, verdict in
            presented.succeed(chain)
            verdict.succeed(.failed)
        })
}
