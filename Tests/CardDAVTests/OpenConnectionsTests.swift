import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import CardDAV

@Suite("Open connections of the address book")
struct OpenConnectionsTests {
    private final class Time: Sendable {
        private let offset = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        var now: ContinuousClock.Instant { start + offset.withLock { $0 } }
        func pass(_ duration: Duration) { offset.withLock { $0 += duration } }
    }

    private func channels(_ count: Int) throws -> [EmbeddedChannel] {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        return (0..<count).map { _ in
            let channel = EmbeddedChannel()
            channel.connect(to: address, promise: nil)
            return channel
        }
    }

    @Test func `of too many, the oldest without a password gives way, then idle ones, then stuck ones`()
        throws
    {
        let time = Time()
        let connections = OpenConnections(.init(connections: 4)) { time.now }
        let all = try channels(9)
        func expect(_ closed: Int...) { #expect(all.indices.filter { !all[$0].isActive } == closed) }
        func add(_ number: Int) {
            time.pass(.milliseconds(1))
            connections.add(all[number])
        }
        for number in 0..<4 { add(number) }
        connections.advance(all[0], to: .busy, within: .seconds(30))
        connections.advance(all[1], to: .idle, within: .seconds(30))
        time.pass(.seconds(2))
        add(4)
        expect(2)
        add(5)
        expect(2, 3)
        // Those without a password are new now.
        add(6)
        expect(1, 2, 3)
        add(7)
        expect(0, 1, 2, 3)
        // All are new: the oldest.
        connections.advance(all[4], to: .busy, within: .seconds(30))
        connections.advance(all[5], to: .busy, within: .seconds(30))
        connections.advance(all[7], to: .busy, within: .seconds(30))
        add(8)
        expect(0, 1, 2, 3, 6)
        connections.remove(all[8])
    }

    @Test func `late ones are closed`() throws {
        let time = Time()
        let connections = OpenConnections(.init()) { time.now }
        let all = try channels(2)
        for channel in all { connections.add(channel) }
        time.pass(.seconds(9))
        connections.closeLate()
        #expect(all.map(\.isActive) == [true, true])
        connections.advance(all[1], within: .seconds(30))
        time.pass(.seconds(1))
        connections.closeLate()
        #expect(all.map(\.isActive) == [false, true])
    }
}
