import Glibc
import Logging
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import Platform
import UserdAPI

/// Serves the users as a read-only address book (RFC 6352) to the programs of one user, at a socket of this machine.
package struct CardDAVServer: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    private let answers: Answers
    private let password: String
    private let connections: OpenConnections
    private let sleep: @Sendable (Duration) async throws -> Void
    private let logger: Logger

    /// In bytes, of all headers of a request.
    private static let maximumHeaders = 16 << 10
    static let maximumBody = 32 << 20
    /// Slows down who guesses, and nobody else.
    private static let pauseAfterWrongPassword = Duration.seconds(1)

    package init(
        _ query: BookQuery, _ reads: ReadMethods, password: String,
        sleep: @escaping @Sendable (Duration) async throws -> Void, logger: Logger
    ) {
        answers = Answers(book: AddressBook(query, reads))
        self.password = password
        connections = OpenConnections(OpenConnections.Limits()) { ContinuousClock.now }
        (self.sleep, self.logger) = (sleep, logger)
    }

    /// Serves until the task is cancelled, and closes the socket and all connections.
    package func run(on socket: LoopbackSocket) async throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = Self.maximumHeaders
        limits.maxHeaderFieldSize = Self.maximumHeaders
        let decoderLimits = limits
        let guards = Guards(port: socket.port, password: password)
        // One event loop: once the listener is closed there, no connection is being made any more.
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        AcceptBackoffHandler(shouldForwardIOErrorCaught: false))
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try admit(channel)
                    // Requests are answered one after the other, and errors by the conversation, so neither needs help.
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                        withPipeliningAssistance: false, withErrorHandling: false,
                        withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoderLimits)
                    let connection = try Connection(wrappingChannelSynchronously: channel)
                    // A connection that waited in a queue would end the program if the queue were dropped.
                    connections.begin(channel) {
                        await Conversation(
                            connection: connection, connections: connections, guards: guards,
                            answers: answers, pause: { try await sleep(Self.pauseAfterWrongPassword) },
                            logger: logger
                        ).run()
                    }
                }
            }
            .withBoundSocket(socket.descriptor).get()
        while listener.isActive, (try? await sleep(.seconds(1))) != nil { connections.closeLate() }
        try? await listener.close()
        await connections.closeAll()
    }

    private struct OtherUser: Error {}

    private func admit(_ channel: any Channel) throws {
        guard let peer = IPv4Endpoint(channel.remoteAddress), let own = IPv4Endpoint(channel.localAddress),
            ownerOfPeer(peer, connectedTo: own) == geteuid()
        else {
            logger.debug("A connection of another user to the address book was closed")
            channel.close(promise: nil)
            throw OtherUser()
        }
        connections.add(channel)
        channel.closeFuture.whenComplete { _ in connections.remove(channel) }
    }
}

extension IPv4Endpoint {
    fileprivate init?(_ address: SocketAddress?) {
        guard let address, case .v4 = address, let text = address.ipAddress, let port = address.port else {
            return nil
        }
        self.init(address: text, port: port)
    }
}
