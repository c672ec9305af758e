import CLinux
import Glibc

/// Checks the messages of one read of a NETLINK_ROUTE socket for signs that a network may be back: a running
/// interface, a new address or a new route. Removals do not count, nor do truncated or malformed messages.
/// See rtnetlink(7) and netlink(7).
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
    /// Up, and with a carrier. Excludes messages of a bridge about its ports, which have another family.
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
    /// Wireless drivers also send a link message for each scan.
    fileprivate var isOfWireless: Bool { attribute(IFLA_WIRELESS, after: ifinfomsg.self) != nil }

    /// Router advertisements renew addresses, and the kernel reports each renewal. Times are in hundredths of
    /// a second.
    fileprivate var prolongsAddress: Bool {
        let times = attribute(IFA_CACHEINFO, after: ifaddrmsg.self)?.first(as: ifa_cacheinfo.self)
        guard let times else { return false }
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

/// Messages and attributes are aligned to 4 bytes.
private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
