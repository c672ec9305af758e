import Glibc
import Synchronization
import TestSupport

/// Hostile clients, on one thread for each manner.
final class HostileClients: Sendable {
    enum Manner: CaseIterable {
        case neverReads, neverReadsWatch, echoes, halfRequest, silence, longSearch
        case nulFlood, oversize, rubbish, descriptors, storm, halfClose
    }

    private let isOver = Atomic(false)
    private let counts = Mutex<[Manner: Int]>([:])
    private let task: Task<Void, any Error>

    init(at path: String) {
        let start = Channel<HostileClients>()
        task = Task {
            let clients = try await start.receive()
            try await withThrowingTaskGroup { group in
                for manner in Manner.allCases {
                    group.addTask { try await onThread { clients.run(manner, at: path) } }
                }
                try await group.waitForAll()
            }
        }
        start.send(self)
    }

    /// How often the rarest manner has come.
    var fewest: Int {
        counts.withLock { counts in Manner.allCases.map { counts[$0] ?? 0 }.min() ?? 0 }
    }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Ends all clients; their connections are closed when this returns.
    func end() async throws {
        isOver.store(true, ordering: .relaxed)
        try await task.value
    }

    private func run(_ manner: Manner, at path: String) {
        // Connections that stay open.
        var held: [RawPeer] = []
        var random = SeededRandom(seed: 3)
        while !isOver.load(ordering: .relaxed) {
            // A refused client tries again.
            if let peer = try? RawPeer(path) {
                try? manner.act(on: peer, path, &random)
                held.append(peer)
            }
            if held.count > manner.held { held.removeFirst() }
            counts.withLock { $0[manner, default: 0] += 1 }
            // Leaves processor time to the client that is measured.
            usleep(5000)
        }
    }
}

extension HostileClients.Manner {
    /// How many connections of this manner stay open.
    fileprivate var held: Int {
        switch self {
        case .neverReads, .neverReadsWatch, .echoes, .halfRequest, .longSearch: 8
        case .silence: 40
        case .nulFlood, .oversize, .rubbish, .descriptors, .storm, .halfClose: 1
        }
    }

    fileprivate func act(on peer: RawPeer, _ path: String, _ random: inout SeededRandom) throws {
        switch self {
        case .neverReads:
            let calls = Array(
                repeating: #"{"method":"io.userd.ListUsers","parameters":{"limit":1000}}"#, count: 50)
            try peer.send(bytes: calls.flatMap { Array($0.utf8) + [0] })
        case .neverReadsWatch:
            try peer.send(#"{"method":"io.userd.Watch","more":true,"parameters":{"progress":true}}"#)
        case .echoes:
            let key = String(repeating: "k", count: 900_000)
            _ = peer.sendWhileRoom(
                (Array(#"{"method":"io.userd.GetUser","parameters":{"key":"\#(key)"}}"#.utf8) + [0])[...])
        case .halfRequest: try peer.send(bytes: Array(#"{"method":"io.userd.Li"#.utf8))
        case .silence: break
        case .longSearch:
            let words = (0..<250).map { "\(Character(UnicodeScalar(97 + UInt8($0 % 26))))\($0)" }
            let search = words.joined(separator: " ")
            try peer.send(#"{"method":"io.userd.ListUsers","parameters":{"search":"\#(search)"}}"#)
        case .nulFlood: _ = peer.sendWhileRoom([UInt8](repeating: 0, count: 1 << 20)[...])
        case .oversize: _ = peer.sendWhileRoom([UInt8](repeating: 0x20, count: 2 << 20)[...])
        case .rubbish: try peer.send(bytes: (0..<10_000).map { _ in .random(in: 0...255, using: &random) })
        case .descriptors: try peer.send(bytes: Array(#"{"method":"#.utf8), descriptor: 0)
        case .storm:
            let crowd = (0..<60).map { _ in try? RawPeer(path) }
            withExtendedLifetime(crowd) {}
        case .halfClose:
            try peer.send(#"{"method":"io.userd.ListUsers"}"#)
            peer.endSending()
        }
    }
}
