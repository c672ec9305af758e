import Glibc
import NIOCore

/// `struct ucred` of unix(7), which Swift's Glibc module does not export.
private struct PeerCredentials: Sendable {
    var processID: pid_t = 0
    var userID: uid_t = 0
    var groupID: gid_t = 0
}

extension Channel {
    /// The user who opened the connection.
    func peerUser() -> EventLoopFuture<uid_t> {
        guard let provider = self as? any SocketOptionProvider else {
            return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<PeerCredentials> = provider.unsafeGetSocketOption(
            level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
        return credentials.map(\.userID)
    }
}
