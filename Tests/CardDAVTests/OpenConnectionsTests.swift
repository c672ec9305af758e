import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import CardDAV

@Suite("Open connections of the address book", .timeLimit(.hang))
struct OpenConnectionsTests {
    private let loop = EmbeddedEventLoop()

    private func channels(_ count: Int) throws -> [EmbeddedChannel] {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        return (0..<count).map { _ in
            let channel = EmbeddedChannel(loop: loop)
            channel.connect(to: address, promise: nil)
            return channel
        }
    }

    @Test func `of too many, the oldest without a password gives way, then idle ones, then stuck ones`()
        throws
    {
        let connections = OpenConnections(.init(connections: 4))
        let all = try channels(9)
        func expect(_ closed: Int...) { #expect(all.indices.filter { !all[$0].isActive } == closed) }
        func add(_ number: Int) {
            loop.advanceTime(by: .milliseconds(1))
            connections.add(all[number])
        }
        for number in 0..<4 { add(number) }
        connections.advance(all[0], to: .busy, within: .seconds(30))
        connections.advance(all[1], to: .idle, within: .seconds(30))
        loop.advanceTime(by: .seconds(2))
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

    @Test func `each has its own deadline, which progress moves`() throws {
        let connections = OpenConnections(.init())
        let all = try channels(2)
        for channel in all { connections.add(channel) }
        loop.advanceTime(by: .seconds(9))
        #expect(all.map(\.isActive) == [true, true])
        connections.advance(all[1], within: .seconds(30))
        loop.advanceTime(by: .seconds(1))
        #expect(all.map(\.isActive) == [false, true])
        loop.advanceTime(by: .seconds(28))
        #expect(all[1].isActive)
        // An earlier deadline replaces a later one, too.
        connections.advance(all[1], within: .seconds(60))
        connections.advance(all[1], within: .seconds(30))
        loop.advanceTime(by: .seconds(30))
        #expect(!all[1].isActive)
    }

    @Test func `a connection that gives way leaves nothing behind`() throws {
        let connections = OpenConnections(.init(connections: 1))
        weak var first: EmbeddedChannel?
        do {
            let channel = try channels(1)[0]
            first = channel
            connections.add(channel)
            connections.add(try channels(1)[0])
            loop.run()
        }
        #expect(first == nil)
    }

    @Test func `the conversation of a closed connection ends`() async throws {
        let connections = OpenConnections(.init())
        let channel = try channels(1)[0]
        connections.add(channel)
        let (endings, ending) = AsyncStream.makeStream(of: Bool.self)
        connections.begin(channel) {
            try? await Task.sleep(for: .seconds(3600))
            ending.yield(Task.isCancelled)
        }
        connections.remove(channel)
        for await isCancelled in endings {
            #expect(isCancelled)
            break
        }
    }
}
