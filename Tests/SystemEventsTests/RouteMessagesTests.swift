import CLinux
import Glibc
import Sync
import TestSupport
import Testing

@Suite struct RouteMessagesTests {
    private static let running = UInt32(IFF_UP | IFF_RUNNING)

    @Test("A running interface, a new address and a unicast route announce a network")
    func arrivals() {
        for message in [link(flags: Self.running), address(), route()] {
            #expect(announcesNetwork(message[...]))
        }
        #expect(announcesNetwork(address(attributes: times(created: 700, updated: 700))[...]))
        #expect(announcesNetwork(address(attributes: times(created: 700, updated: 701))[...]))
        #expect(announcesNetwork(address(attributes: times(created: .max - 20, updated: 30))[...]))
        #expect(announcesNetwork(message(NLMSG_OVERRUN, [])[...]))
    }

    @Test("Removals, interfaces that are down, local routes and renewals announce no network")
    func others() {
        let table = UInt8(RT_TABLE_LOCAL.rawValue)
        for message in [
            link(RTM_DELLINK, flags: Self.running), address(RTM_DELADDR), route(RTM_DELROUTE),
            link(flags: 0), link(flags: UInt32(IFF_UP)), link(flags: UInt32(IFF_RUNNING)),
            link(family: AF_BRIDGE, flags: Self.running),
            link(flags: Self.running, attributes: attribute(IFLA_WIRELESS, [1, 2, 3])),
            route(table: table), route(type: UInt8(RTN_LOCAL)), route(type: UInt8(RTN_UNREACHABLE)),
            route(flags: UInt32(RTM_F_CLONED)),
            address(attributes: times(created: 700, updated: 900)),
            address(attributes: times(created: .max - 20, updated: 180)),
            message(NLMSG_NOOP, []), message(NLMSG_ERROR, [0, 0, 0, 0]), message(NLMSG_DONE, []),
            message(4711, [1]),
        ] {
            #expect(!announcesNetwork(message[...]), "\(message)")
        }
    }

    @Test("Each of several messages counts, and other attributes are skipped")
    func several() {
        let others = link(flags: 0) + message(NLMSG_NOOP, [1]) + route(RTM_DELROUTE)
        #expect(!announcesNetwork(others[...]))
        #expect(announcesNetwork((others + address())[...]))
        #expect(announcesNetwork((address() + others)[...]))
        let name = attribute(IFLA_IFNAME, Array("wlan0".utf8))
        #expect(announcesNetwork(link(flags: Self.running, attributes: name)[...]))
        #expect(
            !announcesNetwork(
                link(flags: Self.running, attributes: name + attribute(IFLA_WIRELESS, []))[...]))
        // Also as a slice of a longer buffer.
        #expect(announcesNetwork((others + address() + others)[others.count...]))
    }

    @Test("Messages that are cut at any byte are read only up to there")
    func cut() {
        let first = link(flags: 0, attributes: attribute(IFLA_IFNAME, [0]))
        let whole = first + address(attributes: times(created: 1, updated: 1))
        for length in 0..<whole.count { #expect(!announcesNetwork(whole[..<length]), "\(length)") }
        #expect(announcesNetwork(whole[...]))
    }

    @Test("Invalid lengths end the reading")
    func lengths() {
        for length: UInt32 in [0, 1, 15, 16, 17, .max, .max - 3] {
            var message = address()
            withUnsafeBytes(of: length) { message.replaceSubrange(0..<4, with: $0) }
            #expect(!announcesNetwork((message + message)[...]), "\(length)")
        }
        for length: UInt16 in [0, 3, 200, .max] {
            var attribute = attribute(IFLA_IFNAME, [1, 2, 3, 4])
            withUnsafeBytes(of: length) { attribute.replaceSubrange(0..<2, with: $0) }
            // An invalid attribute does not make the interface count as wireless.
            #expect(announcesNetwork(link(flags: Self.running, attributes: attribute)[...]), "\(length)")
        }
    }

    @Test("Messages with random bytes do not crash the reader")
    func random() {
        var random = SeededRandom(seed: 1)
        var announced = 0
        for _ in 0..<Volume.randomValues {
            var bytes = (0..<3).flatMap { _ in
                [link(flags: 0), route(RTM_DELROUTE), address(attributes: times(created: 0, updated: 500))]
                    .randomElement(using: &random) ?? []
            }
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0 ... .max, using: &random)
            }
            if announcesNetwork(bytes[..<Int.random(in: 0...bytes.count, using: &random)]) { announced += 1 }
        }
        #expect((1..<Volume.randomValues).contains(announced))
    }
}

// MARK: Messages as the kernel writes them

private func bytes<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value) { Array($0) }
}

private func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: -bytes.count & 3) }

private func message(_ type: some BinaryInteger, _ payload: [UInt8]) -> [UInt8] {
    var header = nlmsghdr()
    header.nlmsg_type = UInt16(type)
    header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + payload.count)
    return padded(bytes(header) + payload)
}

private func attribute(_ type: some BinaryInteger, _ value: [UInt8]) -> [UInt8] {
    padded(
        bytes(rtattr(rta_len: UInt16(MemoryLayout<rtattr>.size + value.count), rta_type: UInt16(type)))
            + value)
}

private func times(created: UInt32, updated: UInt32) -> [UInt8] {
    attribute(
        IFA_CACHEINFO,
        bytes(ifa_cacheinfo(ifa_prefered: .max, ifa_valid: .max, cstamp: created, tstamp: updated)))
}

private func link(
    _ type: some BinaryInteger = RTM_NEWLINK, family: Int32 = AF_UNSPEC, flags: UInt32,
    attributes: [UInt8] = []
) -> [UInt8] {
    var link = ifinfomsg()
    link.ifi_family = UInt8(family)
    link.ifi_index = 2
    link.ifi_flags = flags
    return message(type, bytes(link) + attributes)
}

private func address(_ type: some BinaryInteger = RTM_NEWADDR, attributes: [UInt8] = []) -> [UInt8] {
    var address = ifaddrmsg()
    address.ifa_family = UInt8(AF_INET)
    address.ifa_prefixlen = 24
    address.ifa_index = 2
    return message(type, bytes(address) + attributes)
}

private func route(
    _ message: some BinaryInteger = RTM_NEWROUTE, table: UInt8 = UInt8(RT_TABLE_MAIN.rawValue),
    type: UInt8 = UInt8(RTN_UNICAST), flags: UInt32 = 0
) -> [UInt8] {
    var route = rtmsg()
    route.rtm_family = UInt8(AF_INET)
    route.rtm_table = table
    route.rtm_type = type
    route.rtm_flags = flags
    return SystemEventsTests.message(message, bytes(route))
}
