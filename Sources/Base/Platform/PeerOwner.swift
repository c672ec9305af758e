import CLinux
import Glibc

/// An address of 127.0.0.0/8, or of another IPv4 network.
package struct IPv4Endpoint: Hashable, Sendable {
    /// In network byte order, as is the port.
    var address: in_addr_t
    var port: in_port_t

    /// - Parameter address: `127.0.0.1`
    package init?(address: String, port: Int) {
        var parsed = in_addr()
        guard inet_pton(AF_INET, address, &parsed) == 1, let port = in_port_t(exactly: port) else {
            return nil
        }
        (self.address, self.port) = (parsed.s_addr, port.bigEndian)
    }
}

/// Asks the kernel for the user whose socket is at the other end of a connection of this machine (sock_diag(7)).
/// A user of another namespace has the id 65534.
///
/// Nil unless exactly this connection is established: a lookup may find a listener, or the rest of an ended
/// connection, which has the id 0.
package func ownerOfPeer(_ peer: IPv4Endpoint, connectedTo own: IPv4Endpoint) -> uid_t? {
    let descriptor = socket(
        AF_NETLINK, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_SOCK_DIAG)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }

    var request = Request()
    request.header.nlmsg_len = UInt32(MemoryLayout<Request>.size)
    request.header.nlmsg_type = UInt16(SOCK_DIAG_BY_FAMILY)
    request.header.nlmsg_flags = UInt16(NLM_F_REQUEST)
    request.body.sdiag_family = UInt8(AF_INET)
    request.body.sdiag_protocol = UInt8(IPPROTO_TCP)
    request.body.idiag_states = .max
    request.body.id.idiag_sport = peer.port
    request.body.id.idiag_dport = own.port
    request.body.id.idiag_src.0 = peer.address
    request.body.id.idiag_dst.0 = own.address
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
        message.idiag_family == UInt8(AF_INET), message.idiag_state == UInt8(TCP_ESTABLISHED),
        message.id.idiag_sport == peer.port, message.id.idiag_dport == own.port,
        message.id.idiag_src.0 == peer.address, message.id.idiag_dst.0 == own.address,
        message.idiag_inode != 0
    else { return nil }
    return message.idiag_uid
}

private struct Request {
    var header = nlmsghdr()
    var body = inet_diag_req_v2()
}

private struct Reply {
    var header: nlmsghdr
    var body: inet_diag_msg
}
