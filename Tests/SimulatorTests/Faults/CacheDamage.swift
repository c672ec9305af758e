import Foundation
import Glibc
import TestSupport

/// Random damage to one of a cache's files.
struct CacheDamage: CustomStringConvertible {
    private enum Kind: CaseIterable {
        case flip, rubbish, zeros, cut
    }

    private let file: String
    private let kind: Kind
    private let offset: Int
    private let length: Int
    private let seed: UInt64

    /// - Parameter isLive: a daemon has the files open. Shared memory is not cut then: access beyond its end
    ///   kills any process.
    init(of path: String, isLive: Bool, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        let suffix = ["", "", "-wal", "-shm"].randomElement(using: &random) ?? ""
        file = path + suffix
        let kinds = Kind.allCases.filter { $0 != .cut || suffix != "-shm" || !isLive }
        kind = kinds.randomElement(using: &random) ?? .flip
        let size = try Data(contentsOf: URL(filePath: file)).count
        let first = Int.random(in: 0..<max(size, 1), using: &random)
        // Half of the flips hit a page's header; most of the rest of a page is text.
        let isHeader = Bool.random(using: &random)
        switch kind {
        case .flip: (offset, length) = (isHeader ? first / 4096 * 4096 + first % 100 : first, 1)
        case .rubbish, .zeros: (offset, length) = (first / 512 * 512, isHeader ? 512 : 4096)
        case .cut: (offset, length) = (isHeader ? first / 4096 * 4096 : first, 0)
        }
    }

    var description: String { "\(kind) at \(offset) of \(file.split(separator: "/").last ?? "")" }

    func apply() throws {
        var random = SeededRandom(seed: ~seed)
        if kind == .cut {
            guard truncate(file, offset) == 0 else { throw CocoaError(.fileWriteUnknown) }
            return
        }
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: UInt64(offset))
        var bytes = try handle.read(upToCount: length) ?? Data()
        for index in bytes.indices {
            switch kind {
            case .flip: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case .rubbish: bytes[index] = .random(in: 0...255, using: &random)
            case .zeros, .cut: bytes[index] = 0
            }
        }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.close()
    }
}
