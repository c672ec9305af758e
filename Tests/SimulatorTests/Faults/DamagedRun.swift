import Cache
import Foundation
import Model
import SQLite
import Sync
import TestSupport

/// The life of a cache with a damaged file: damaged before a start, or while a daemon has it open.
///
/// SQLite's main file has no checksums, so a changed text goes unnoticed. Only numbers of rows are compared.
final class DamagedRun {
    enum Outcome: String, CaseIterable {
        /// Only right rows were read.
        case right = "served right rows"
        case setAside = "set aside"
        /// Wrong rows were read, but SQLite's check of the whole file finds the damage.
        case seen = "seen by integrity_check alone"
    }

    private let world: ScriptedWorld
    private let directory: TemporaryDirectory
    private let path: String
    private let seed: UInt64
    private var outcome = Outcome.right
    private(set) var damage: CacheDamage?

    /// - Parameter files: files of edition 1 that a killed daemon left.
    init(_ files: String, seed: UInt64) throws {
        self.seed = seed
        world = ScriptedWorld(seed: seed)
        directory = try TemporaryDirectory()
        path = directory.file("userd.db")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: files + suffix, toPath: path + suffix)
        }
    }

    /// Makes the files, with a log that is not empty.
    static func makeFiles(in directory: TemporaryDirectory) throws -> String {
        let world = ScriptedWorld(seed: 1)
        let path = directory.file("made.db")
        let daemon = try world.start(path)
        try world.settle()
        while !daemon.engine.states.allSatisfy({ $0.phase == .loaded }) {
            try world.advance()
            try world.settle()
        }
        try world.perform { _ = try await daemon.engine.fetchFact() }
        let left = directory.file("left.db")
        for suffix in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: left + suffix)
        }
        try world.perform { await daemon.end() }
        return left
    }

    func atRest() throws -> Outcome {
        try strike(isLive: false)
        try live(edition: 2)
        try live(edition: 3)
        return outcome
    }

    func underDaemon() throws -> Outcome {
        try live(edition: 2) { try self.strike(isLive: true) }
        try live(edition: 3)
        return outcome
    }

    private func strike(isLive: Bool) throws {
        let damage = try CacheDamage(of: path, isLive: isLive, seed: seed)
        self.damage = damage
        try damage.apply()
    }

    /// Runs a daemon from start to end with a full sync. Starts again after damage, like userd.
    private func live(edition: Int, afterStart: () throws -> Void = {}) throws {
        var daemon = try start()
        try read(daemon)
        try afterStart()
        try read(daemon)
        // A new cache is first filled with the previous edition.
        try world.settle()
        world.upstream.edition = edition
        world.time.advance(to: world.time.now + .seconds(1))
        let began = world.time.wallClock
        func isSynced(_ daemon: ScriptedDaemon) -> Bool {
            daemon.engine.states.allSatisfy { $0.phase == .loaded && ($0.syncedAt ?? began) >= began }
        }
        for _ in 0..<40 {
            try world.settle()
            if let loss = daemon.loss {
                try world.perform { [daemon] in await daemon.end() }
                try heal(loss)
                daemon = try start()
            } else if isSynced(daemon) {
                break
            } else {
                try world.advance()
            }
        }
        guard isSynced(daemon) else { throw Violation("does not recover: \(daemon.engine.states)") }
        try read(daemon, exactly: edition)
        try world.perform { [daemon] in await daemon.end() }
        try world.settle()
    }

    private func start() throws -> ScriptedDaemon {
        do {
            return try world.start(path)
        } catch CacheError.damaged(let found) {
            try heal(.damaged(found))
            return try world.start(path)
        }
    }

    private func heal(_ loss: CacheLoss) throws {
        guard case .damaged = loss else { return }
        outcome = .setAside
        let lock = try CacheLock(path: path)
        _ = try lock.setAside(at: world.time.wallClock)
    }

    /// - Parameter exactly: the loaded edition; nil for any.
    private func read(_ daemon: ScriptedDaemon, exactly: Int? = nil) throws {
        let reader = daemon.cache.reader
        let editions = exactly.map { $0...$0 } ?? 0...world.upstream.edition
        for order in UserOrder.allCases where daemon.loss == nil {
            do {
                let page = try world.perform { try await reader.users(UserQuery(order: order, limit: 100)) }
                if !editions.contains(where: { EditedUpstream.users($0).count == page.count }) {
                    try mustBeSeen("\(page.count) users by \(order) in editions \(editions)")
                }
            } catch let error where error is CacheError {
                guard daemon.loss != nil else { throw Violation("\(error), but no damage was reported") }
            }
        }
    }

    /// Checks that the check of the whole file finds the damage.
    private func mustBeSeen(_ wrong: String) throws {
        if outcome == .right { outcome = .seen }
        let copy = directory.file("checked.db")
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: copy + suffix)
            try? FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        do {
            let connection = try Connection(path: copy, access: .readWrite)
            let report = try connection.rows("PRAGMA integrity_check") { try $0.text(0) }
            guard report != ["ok"] else { throw Violation("\(wrong), but integrity_check finds nothing") }
        } catch is SQLiteError {}
    }
}
