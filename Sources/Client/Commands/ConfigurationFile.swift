import CommandSupport
import Glibc
import Platform

/// config.yaml, to which `connect` adds users. Throws `CommandError`.
package struct ConnectedFile {
    package let path: String

    package init(path: String) { self.path = path }

    private var old: [UInt8]? {
        get throws {
            do throws(FileError) { return try RegularFile(path, upTo: 1 << 20).bytes } catch {
                if error.isMissing { return nil }
                throw CommandError("\(path) can't be read: \(error)", .failed)
            }
        }
    }

    /// Also true for a section in another form, such as `"users" : {}`: then a person has to look.
    package func hasUsers() throws -> Bool {
        guard let old = try old else { return false }
        return String(decoding: old, as: UTF8.self).split(separator: "\n").contains { line in
            let name = line.drop { "\"' {".contains($0) }
            return name.hasPrefix("users") && !line.hasPrefix("#")
        }
    }

    /// Appends the lines; the old file is kept beside it, with `.before-connect` at its name's end.
    /// - Parameter mistake: why userd would not take the file at this path; nil if it would.
    package func add(_ lines: [String], mistake: (_ path: String) throws -> String?) throws {
        let old = try old
        do throws(FileWriteError) { try makePrivateFolder(parent(of: path)) } catch {
            throw CommandError("\(error)", .output)
        }
        var text = old ?? []
        if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        text += Array((lines.joined(separator: "\n") + "\n").utf8)
        let new = path + ".connect"
        try writeAtomically(text, to: new, isPrivate: true)
        if let reason = try mistake(new) {
            unlink(new)
            throw CommandError("userd would not take these lines: \(reason)", .failed)
        }
        if let old { try writeAtomically(old, to: path + ".before-connect", isPrivate: true) }
        guard rename(new, path) == 0 else {
            unlink(new)
            throw CommandError("\(path) can't be written: \(String(cString: strerror(errno)))", .output)
        }
    }
}
