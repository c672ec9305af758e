import CLinux
import Glibc

/// A socket for news of interfaces, addresses and routes. Nil on failure, with errno set.
func netlinkSocket() -> Int32? {
    let descriptor = socket(
        AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), NETLINK_ROUTE)
    guard descriptor >= 0 else { return nil }
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = [
        RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    ].reduce(0) { $0 | 1 << ($1.rawValue - 1) }
    let bound = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
        }
    }
    return opened(descriptor, bound)
}

/// Becomes readable when the wall clock is set and, on most kernels, on resume. See timerfd_create(2).
func clockTimer() -> Int32? {
    let descriptor = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    var never = itimerspec()
    never.it_value.tv_sec = .max
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    return opened(descriptor, timerfd_settime(descriptor, flags, &never, nil))
}

/// The descriptor if the call succeeded; else closes it and leaves the call's errno.
private func opened(_ descriptor: Int32, _ result: Int32) -> Int32? {
    if result == 0 { return descriptor }
    let reason = errno
    close(descriptor)
    errno = reason
    return nil
}

enum NetlinkNews {
    case network, nothing
    /// The errno.
    case broken(Int32)
}

/// Reads the pending messages.
func netlinkNews(_ descriptor: Int32) -> NetlinkNews {
    var buffer = [UInt8](repeating: 0, count: 32_768)
    var news = NetlinkNews.nothing
    // A limit for one round: a socket holds fewer messages.
    for _ in 0..<1024 {
        var sender = sockaddr_nl()
        var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        // With MSG_TRUNC, the count is the length of the message, not of the copied part.
        let count = withUnsafeMutablePointer(to: &sender) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), $0, &length)
            }
        }
        switch count {
        // The socket's buffer overflowed: messages were lost.
        case ..<0 where errno == ENOBUFS: news = .network
        case ..<0 where errno == EINTR: continue
        case ..<0 where errno == EAGAIN: return news
        case ..<0: return .broken(errno)
        default:
            // Other programs may write to the socket, too; the kernel's port is 0.
            guard sender.nl_pid == 0 else { continue }
            if count > buffer.count || announcesNetwork(buffer[..<count]) { news = .network }
        }
    }
    return news
}

func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
