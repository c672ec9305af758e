import CLinux
import Glibc

/// Whether these messages of the kernel, as they come from one read of a NETLINK_ROUTE socket, say that a network may have
/// come back: an interface that runs, an address or a route that is new. What goes away does not count, nor what is cut
/// short or nonsense. See rtnetlink(7), and netlink(7) on how messages follow each other.
package func announcesNetwork(_ datagram: ArraySlice<UInt8>) -> Bool {
    var rest = datagram
    while let header = rest.first(as: nlmsghdr.self) {
        let length = Int(header.nlmsg_len)
        guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { return false }
        if announcesNetwork(header.nlmsg_type, rest.prefix(length).after(nlmsghdr.self)) { return true }
        rest = rest.dropFirst(aligned(length))
    }
    return false
}

private func announcesNetwork(_ type: UInt16, _ payload: ArraySlice<UInt8>) -> Bool {
    switch Int(type) {
    case Int(RTM_NEWLINK): payload.first(as: ifinfomsg.self)?.isRunning ?? false && !payload.isOfWireless
    case Int(RTM_NEWADDR): payload.first(as: ifaddrmsg.self) != nil && !payload.prolongsAddress
    case Int(RTM_NEWROUTE): payload.first(as: rtmsg.self)?.leadsSomewhere ?? false
    // Messages were lost.
    case Int(NLMSG_OVERRUN): true
    default: false
    }
}

extension ifinfomsg {
    /// Up, and with a carrier. A bridge's word on its ports, which is of another family, is not meant.
    fileprivate var isRunning: Bool {
        let flags = UInt32(IFF_UP | IFF_RUNNING)
        return Int32(ifi_family) == AF_UNSPEC && ifi_flags & flags == flags
    }
}

extension rtmsg {
    fileprivate var leadsSomewhere: Bool {
        UInt32(rtm_table) == UInt32(RT_TABLE_MAIN.rawValue) && UInt32(rtm_type) == UInt32(RTN_UNICAST)
            && rtm_flags & UInt32(RTM_F_CLONED) == 0
    }
}

extension ArraySlice<UInt8> {
    /// Wireless drivers send a link for every scan, too.
    fileprivate var isOfWireless: Bool {
        attribute(IFLA_WIRELESS, after: ifinfomsg.self) != nil
    }

    /// Routers advertise an address again and again, and each time the kernel tells of it. Its times are in hundredths
    /// of seconds.
    fileprivate var prolongsAddress: Bool {
        guard let times = attribute(IFA_CACHEINFO, after: ifaddrmsg.self)?.first(as: ifa_cacheinfo.self)
        else {
            return false
        }
        return times.tstamp &- times.cstamp > 100
    }

    /// The value of the first attribute of this type.
    private func attribute<Header: BitwiseCopyable>(
        _ type: some BinaryInteger, after header: Header.Type
    ) -> ArraySlice<UInt8>? {
        var rest = after(header)
        while let attribute = rest.first(as: rtattr.self) {
            let length = Int(attribute.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { return nil }
            if Int(attribute.rta_type) == Int(type) { return rest.prefix(length).after(rtattr.self) }
            rest = rest.dropFirst(aligned(length))
        }
        return nil
    }

    fileprivate func first<Value: BitwiseCopyable>(as type: Value.Type) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: Value.self) }
    }

    fileprivate func after<Value: BitwiseCopyable>(_ type: Value.Type) -> ArraySlice<UInt8> {
        dropFirst(aligned(MemoryLayout<Value>.size))
    }
}

/// Messages and attributes begin at multiples of 4.
private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
