import CLinux
import Glibc

/// An end of a TCP connection.
package struct IPEndpoint: Hashable, Sendable {
    var family: sa_family_t
    /// In network byte order, as is the port. An IPv4 address is the first word.
    var address: [UInt32]
    var port: in_port_t

    /// Nil unless it is an IPv4 or an IPv6 address.
    package init?(_ address: UnsafePointer<sockaddr>) {
        family = address.pointee.sa_family
        let bytes = UnsafeRawPointer(address)
        switch Int32(family) {
        case AF_INET:
            let given = bytes.loadUnaligned(as: sockaddr_in.self)
            (self.address, port) = ([given.sin_addr.s_addr, 0, 0, 0], given.sin_port)
        case AF_INET6:
            let given = bytes.loadUnaligned(as: sockaddr_in6.self)
            self.address = withUnsafeBytes(of: given.sin6_addr) { Array($0.bindMemory(to: UInt32.self)) }
            port = given.sin6_port
        default: return nil
        }
    }
}

/// Whether the kernel tells who owns connections: some sandboxes permit no such question.
package let canAskForOwners: Bool = {
    let descriptor = ownersSocket()
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
}()

private func ownersSocket() -> Int32 {
    socket(AF_NETLINK, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_SOCK_DIAG)
}

/// Asks the kernel for the user whose socket is at the other end of a connection of this machine (sock_diag(7)).
/// A user of another namespace has the id 65534.
///
/// Nil unless exactly this connection is established: a lookup may find a listener, or the rest of an ended
/// connection, which has the id 0.
package func ownerOfPeer(_ peer: IPEndpoint, connectedTo own: IPEndpoint) -> uid_t? {
    let descriptor = ownersSocket()
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }

    var request = Request()
    request.header.nlmsg_len = UInt32(MemoryLayout<Request>.size)
    request.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
    request.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
    request.body.sdiag_family = UInt8(peer.family)
    request.body.sdiag_protocol = UInt8(IPPROTO_TCP)
    request.body.idiag_states = .max
    request.body.id.idiag_sport = peer.port
    request.body.id.idiag_dport = own.port
    request.body.id.idiag_src = words(peer.address)
    request.body.id.idiag_dst = words(own.address)
    request.body.id.idiag_cookie = (.max, .max)
    guard send(descriptor, &request, MemoryLayout<Request>.size, 0) == MemoryLayout<Request>.size else {
        return nil
    }

    // The kernel answers within send(2).
    var reply = [UInt8](repeating: 0, count: 1024)
    let count = recv(descriptor, &reply, reply.count, Int32(MSG_DONTWAIT))
    guard count >= MemoryLayout<Reply>.size else { return nil }
    let found = reply.withUnsafeBytes { $0.loadUnaligned(as: Reply.self) }
    let message = found.body
    guard found.header.nlmsg_type == UInt16(SOCK_DIAG_BY_FAMILY),
        message.idiag_family == UInt8(peer.family), message.idiag_state == UInt8(TCP_ESTABLISHED),
        message.id.idiag_sport == peer.port, message.id.idiag_dport == own.port,
        message.id.idiag_src == words(peer.address), message.id.idiag_dst == words(own.address),
        message.idiag_inode != 0
    else { return nil }
    return message.idiag_uid
}

private func words(_ address: [UInt32]) -> (UInt32, UInt32, UInt32, UInt32) {
    (address[0], address[1], address[2], address[3])
}

private struct Request {
    var header = nlmsghdr()
    var body = inet_diag_req_v2()
}

private struct Reply {
    var header: nlmsghdr
    var body: inet_diag_msg
}
