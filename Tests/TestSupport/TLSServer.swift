import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A loopback TLS server that answers each request with the same bytes and closes. The creator stops it, as
/// `withTLSServer` does.
package final class TLSServer: Sendable {
    private let listener: any NIOCore.Channel
    private let shown: Shown

    private final class Shown: Sendable {
        let now: Mutex<(context: NIOSSLContext, answer: String)>
        let times: Atomic<Int>
        let received = Atomic(0)

        init(_ context: NIOSSLContext, _ answer: String, times: Int) {
            now = Mutex((context, answer))
            self.times = Atomic(times)
        }

        @Sendable func count(_ bytes: Int) { received.add(bytes, ordering: .sequentiallyConsistent) }
    }

    /// - Parameters:
    ///   - answer: head and body.
    ///   - isOld: whether it speaks no TLS above 1.1.
    ///   - times: number of connections to serve; later ones are closed.
    package init(
        _ identity: CertificateAuthority.Identity, answer: String, times: Int = .max,
        isOld: Bool = false
    ) async throws {
        let shown = Shown(try NIOSSLContext(identity, isOld: isOld), answer, times: times)
        self.shown = shown
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard shown.times.subtract(1, ordering: .relaxed).newValue >= 0 else {
                        throw ChannelError.eof
                    }
                    let (context, answer) = shown.now.withLock { $0 }
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context), Answering(answer, shown.count))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    package func url(_ path: String = "/") -> URL {
        URL(string: "https://127.0.0.1:\(listener.localAddress?.port ?? 0)\(path)")!
    }

    /// Changes certificate and answer for new connections.
    package func show(_ identity: CertificateAuthority.Identity, answer: String) throws {
        let next = try NIOSSLContext(identity)
        shown.now.withLock { $0 = (next, answer) }
    }

    /// Number of request bytes on all connections.
    package var received: Int { shown.received.load(ordering: .sequentiallyConsistent) }

    package func stop() async { try? await listener.close() }
}

/// Runs a server for the duration of the body.
package func withTLSServer<Result>(
    _ identity: CertificateAuthority.Identity, answer: String, times: Int = .max,
    isOld: Bool = false,
    isolation: isolated (any Actor)? = #isolation, _ body: (TLSServer) async throws -> Result
) async throws -> Result {
    let server = try await TLSServer(identity, answer: answer, times: times, isOld: isOld)
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

extension NIOSSLContext {
    fileprivate convenience init(
        _ identity: CertificateAuthority.Identity, isOld: Bool = false
    ) throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(identity.certificate).map {
                .certificate($0)
            },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: identity.key, format: .pem)))
        if isOld { configuration.maximumTLSVersion = .tlsv11 }
        try self.init(configuration: configuration)
    }
}

private final class Answering: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: String
    private let count: @Sendable (Int) -> Void
    private var request: [UInt8] = []

    init(_ answer: String, _ count: @escaping @Sendable (Int) -> Void) {
        self.answer = answer
        self.count = count
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        count(bytes.count)
        request += bytes
        guard request.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }

    /// A client that does not trust this server closes: expected.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
