import Glibc
import Platform

/// The content of files before `connect` changed them.
struct FormerFiles: Sendable {
    private var files: [(path: String, bytes: [UInt8]?)] = []

    var isEmpty: Bool { files.isEmpty }

    /// - Returns: nil if there is no such file. Throws if it can't be read, since it could not be restored.
    @discardableResult
    mutating func keep(_ path: String) throws -> [UInt8]? {
        var bytes: [UInt8]?
        do throws(FileError) { bytes = try RegularFile(path, upTo: 2 << 20).bytes } catch {
            if !error.isMissing { throw CommandError("\(path) can't be read: \(error)", .failed) }
        }
        if !files.contains(where: { $0.path == path }) { files.append((path, bytes)) }
        return bytes
    }

    /// Writes the files as they were.
    func restore() {
        for (path, bytes) in files {
            guard let bytes else {
                unlink(path)
                continue
            }
            try? writeAtomically(bytes, to: path, isPrivate: access(path, F_OK) != 0)
        }
    }

    /// Writes a new secret, and the origin that it is for. Another file of that name is kept beside. A person's own file gets
    /// nothing beside it: userd sends its secret where the file that names it says.
    mutating func write(_ secret: GivenSecret) throws {
        guard secret.isNew else { return }
        let (text, origin) = (secret.text + Array("\n".utf8), Array((secret.origin + "\n").utf8))
        if try keep(secret.path) != text || keep(secret.path + ".origin") != origin {
            try setAside(secret.path)
        }
        try writeAtomically(text, to: secret.path, isPrivate: true)
        try writeAtomically(origin, to: secret.path + ".origin", isPrivate: true)
    }

    /// Moves a secret aside with its origin, as `users-token.before-userctl`.
    mutating func setAside(_ path: String) throws {
        let copy = KeptCopies(of: path).next
        for end in ["", ".origin"] {
            guard let bytes = try keep(path + end) else { continue }
            try keep(copy + end)
            try writeAtomically(bytes, to: copy + end, isPrivate: true)
            unlink(path + end)
        }
    }
}
