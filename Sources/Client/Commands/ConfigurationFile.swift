import CommandSupport
import Diagnostics
import Glibc
import Platform

/// config.yaml, which `connect` and `carddav` change. Throws `CommandError`.
package struct ConfigurationFile {
    package let path: String

    package init(path: String) { self.path = path }

    /// Nil if there is none.
    package var bytes: [UInt8]? {
        get throws {
            do throws(FileError) { return try RegularFile(path, upTo: 1 << 20).bytes } catch {
                if error.isMissing { return nil }
                throw CommandError("\(path) can't be read: \(error)", .failed)
            }
        }
    }

    /// Also true for a section in another form, such as `"users" : {}`: then a person has to look.
    package func hasUsers() throws -> Bool {
        guard let old = try bytes else { return false }
        let text = String(decoding: old.withoutByteOrderMark, as: UTF8.self)
        return text.split(separator: "\n").contains { line in
            let name = line.drop { "\"' {".contains($0) }
            return name.hasPrefix("users") && !line.hasPrefix("#")
        }
    }

    package func add(_ lines: [String], mistake: (_ path: String) throws -> String?) throws {
        var text = try bytes ?? []
        if let last = text.last, last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
        text += Array((lines.joined(separator: "\n") + "\n").utf8)
        try replace(with: text, mistake: mistake)
    }

    /// The old file is kept beside the new one, with `.before-userctl` at its name's end. Links and modes stay.
    /// - Parameter mistake: why userd would not take the file at this path; nil if it would.
    package func replace(with text: [UInt8], mistake: (_ path: String) throws -> String?) throws {
        let old = try bytes
        do throws(FileWriteError) { try makePrivateFolder(parent(of: path)) } catch {
            throw CommandError("\(error)", .output)
        }
        let new = path + ".userctl"
        do { try writeAtomically(text, to: new, isPrivate: true) } catch let error as CommandError {
            throw CommandError(error.message.replacing(new, with: path), .output)
        }
        defer { unlink(new) }
        if let reason = try mistake(new) {
            throw CommandError(
                "userd would not take the changed \(path): \(reason.replacing(new, with: path))", .failed)
        }
        if let old { try writeAtomically(old, to: path + ".before-userctl", isPrivate: true) }
        try writeAtomically(text, to: path, isPrivate: old == nil)
    }
}

extension DoctorProbes {
    /// Why userd would not take the file; nil if it would, or is not installed.
    func mistake(inConfiguration path: String) throws -> String? {
        guard let userd = find("userd") else { return nil }
        let check = try run(userd, ["--check-config", path], .seconds(10))
        return check.code == 0 ? nil : check.complaint
    }
}
