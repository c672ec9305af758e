import CFaultVFS
import Foundation
import Synchronization
import TestSupport

/// A fault of one call to the disk.
enum DiskFault: String, CaseIterable {
    case kill
    case powerCut = "power-cut"
    case ioError = "io-error"
    case full = "disk-full"
    case short = "short-write"
    case syncFails = "sync-fails"

    var kind: FaultKind {
        switch self {
        case .kill: FAULT_KILL
        case .powerCut: FAULT_POWER
        case .ioError: FAULT_ERROR
        case .full: FAULT_FULL
        case .short: FAULT_SHORT
        case .syncFails: FAULT_SYNC
        }
    }

    /// True if this kind of call can have the fault.
    func applies(to call: String) -> Bool {
        switch self {
        case .kill, .powerCut: true
        case .ioError: call != "sync"
        case .full: ["open", "write", "map"].contains(call)
        // SQLite's unix VFS repeats short reads, so only damage cuts them short.
        case .short: call == "write"
        case .syncFails: call == "sync"
        }
    }
}

/// A layer under SQLite with one failing call. For one thread.
final class FaultDisk {
    let name: String
    private let vfs: OpaquePointer
    private static let made = Atomic(0)

    /// - Parameter at: the number of the call, from 1.
    init(_ fault: DiskFault?, at: Int, seed: UInt64) {
        name = "faulty \(Self.made.add(1, ordering: .relaxed).newValue)"
        vfs = faultvfs_new(name)
        faultvfs_arm(vfs, fault?.kind ?? FAULT_NONE, Int32(at), seed)
    }

    deinit { faultvfs_end(vfs) }

    var hasStruck: Bool { faultvfs_has_struck(vfs) }
    /// The simulated process or machine has ended.
    var isFrozen: Bool { faultvfs_is_frozen(vfs) }
    var calls: [String] {
        let names = ["open", "read", "write", "truncate", "sync", "delete", "map"]
        return (0..<faultvfs_count(vfs)).map { names[Int(faultvfs_call(vfs, $0 + 1).rawValue)] }
    }

    /// Ends the fault.
    func mend() { faultvfs_mend(vfs) }

    /// Copies the cache at `path` as the next start finds it to `copy`.
    func leave(_ path: String, at copy: String, isPowerCut: Bool, random: inout SeededRandom) throws {
        for suffix in ["", "-wal", "-journal"] {
            guard let bytes = isPowerCut ? synced(path + suffix) : try read(path + suffix) else {
                continue
            }
            try write(bytes, to: copy + suffix)
        }
        // Shared memory outlives a process, and has any content after a power cut.
        let rubbish = Data((0..<32_768).map { _ in UInt8.random(in: 0...255, using: &random) })
        switch (isPowerCut, Bool.random(using: &random)) {
        case (false, _): try read(path + "-shm").map { try write($0, to: copy + "-shm") }
        case (true, true): try write(rubbish, to: copy + "-shm")
        case (true, false): break
        }
    }

    private func synced(_ path: String) -> Data? {
        var size = 0
        guard let bytes = faultvfs_after_power_cut(vfs, path, &size) else { return nil }
        defer { free(bytes) }
        return Data(bytes: bytes, count: size)
    }

    private func read(_ path: String) throws -> Data? {
        FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(filePath: path)) : nil
    }

    private func write(_ bytes: Data, to path: String) throws {
        try bytes.write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
