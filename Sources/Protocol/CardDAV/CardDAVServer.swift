import Glibc
import Logging
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import Reads
import UserdAPI

/// Serves the users as a read-only address book (RFC 6352) to the programs of one user, at a socket of this machine.
package struct CardDAVServer: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    package enum Content: Equatable, Sendable, CustomStringConvertible {
        case book(BookQuery, password: String)
        /// The reason why there is no address book: the answer to each request.
        case refusal(String)

        /// Without the password.
        package var description: String {
            switch self {
            case .book(let query, _): "book(\(query))"
            case .refusal(let reason): "refusal(\(reason))"
            }
        }
    }

    private let content: Content
    private let reads: ReadMethods
    private let connections = OpenConnections(OpenConnections.Limits())
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    /// In bytes, of all headers of a request.
    private static let maximumHeaders = 16 << 10
    /// In bytes, of what is read at once. Requests that were read wait in memory until they are answered.
    private static let part = 16 << 10
    static let maximumBody = 32 << 20
    /// Slows down who guesses, and nobody else.
    private static let pauseAfterWrongPassword = Duration.seconds(1)

    package init(
        _ content: Content, _ reads: ReadMethods,
        sleep: @escaping @Sendable (Duration) async throws -> Void, logger: Logger
    ) {
        (self.content, self.reads, self.sleep, self.logger) = (content, reads, sleep, logger)
    }

    /// Serves until the task is cancelled, and closes the socket and all connections.
    package func run(on socket: LoopbackSocket) async throws {
        let guards = Guards(port: socket.port, content)
        let responder: Responder? =
            if case .book(let query, _) = content { Responder(book: AddressBook(query, reads)) } else { nil }
        // One event loop: once the listener is closed there, no connection is being made any more.
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelOption(
                ChannelOptions.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.part)
            )
            .childChannelOption(ChannelOptions.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try admit(channel)
                    try channel.pipeline.syncOperations.addHandlers(
                        HTTPResponseEncoder(), Self.decoder, NIOHTTPResponseHeadersValidator())
                    let connection = try Connection(wrappingChannelSynchronously: channel)
                    // A connection that waited in a queue would end the program if the queue were dropped.
                    connections.begin(channel) {
                        await Conversation(
                            connection: connection, connections: connections, guards: guards,
                            responder: responder, pause: { try await sleep(Self.pauseAfterWrongPassword) },
                            logger: logger
                        ).run()
                    }
                }
            }
            .withBoundSocket(socket.descriptor).get()
        await withTaskCancellationHandler {
            try? await listener.closeFuture.get()
        } onCancel: {
            listener.close(promise: nil)
        }
        await connections.closeAll()
    }

    /// Without NIO's pipeline for servers: that keeps all that follows an upgrade or CONNECT, which nobody reads.
    private static var decoder: ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = maximumHeaders
        limits.maxHeaderFieldSize = maximumHeaders
        return ByteToMessageHandler(
            HTTPRequestDecoder(limitConfiguration: limits), maximumBufferSize: maximumHeaders + part)
    }

    private struct OtherUser: Error {}

    private func admit(_ channel: any Channel) throws {
        func end(_ address: SocketAddress?) -> IPEndpoint? {
            address?.withSockAddr { address, _ in IPEndpoint(address) }
        }
        let (peer, own) = (end(channel.remoteAddress), end(channel.localAddress))
        let owner = peer.flatMap { peer in own.flatMap { ownerOfPeer(peer, connectedTo: $0) } }
        guard owner == geteuid() else {
            if owner == nil, connections.isFirstUnknown() {
                logger.notice(
                    "A connection to the address book was closed: the kernel does not say whose it is. This is said once",
                    metadata: ["advice": "if mail clients find no book, allow userd AF_NETLINK sockets"])
            }
            logger.debug("A connection of another user to the address book was closed")
            channel.close(promise: nil)
            throw OtherUser()
        }
        connections.add(channel)
        channel.closeFuture.whenComplete { _ in connections.remove(channel) }
    }
}
