import Glibc
import Platform
import YAML

/// config.yaml, which `connect` and `carddav` change. Throws `CommandError` and `FileWriteError`.
struct ConfigurationFile {
    let path: String

    /// Empty if there is no file.
    func read() throws -> Configuration {
        try edited(advice: "`userd --check-config` may say more") { file in file }
    }

    /// The text after an edit.
    /// - Parameter advice: for a file that can't be edited.
    func edited(
        advice: String, _ edit: (Configuration) throws(YAMLError) -> Configuration
    ) throws -> Configuration {
        var bytes: [UInt8] = []
        do throws(FileError) { bytes = try RegularFile(path, upTo: YAMLNode.maximumBytes + 1).bytes } catch {
            if !error.isMissing { throw CommandError("\(path) can't be read: \(error)", .failed) }
        }
        do throws(YAMLError) { return try edit(Configuration(bytes)) } catch {
            let place = error.line.map { ":\($0):" } ?? ""
            throw CommandError("\(path)\(place) \(error.reason)", .failed, advice: advice)
        }
    }

    /// The old file is kept beside the new one, unless a copy has the same text. Links and modes stay.
    /// - Parameters:
    ///   - keepsOld: false for an old file with a secret in it: then there is no copy of it, nor of older ones.
    ///   - byHand: what a person does if the file is written in another way than userctl changes.
    ///   - mistake: why userd would not take the file at this path; nil if it would.
    func change(
        keepsOld: Bool = true, byHand: String, mistake: (_ path: String) throws -> String?,
        _ edit: (Configuration) throws(YAMLError) -> Configuration
    ) throws {
        let (old, text) = (try read().bytes, try edited(advice: byHand, edit).bytes)
        try makePrivateFolder(parent(of: path))
        let new = path + ".userctl"
        do { try writeAtomically(text, to: new, isPrivate: true) } catch let error as CommandError {
            throw CommandError(error.message.replacing(new, with: path), .output)
        }
        defer { unlink(new) }
        if let reason = try mistake(new) {
            throw CommandError(
                "userd would not take the changed \(path): \(reason.replacing(new, with: path))", .failed)
        }
        let (isThere, copies) = (access(path, F_OK) == 0, KeptCopies(of: path))
        func isKept(_ copy: String) -> Bool { (try? RegularFile(copy, upTo: old.count + 1))?.bytes == old }
        if !keepsOld {
            for copy in copies.paths { unlink(copy) }
        } else if isThere, !copies.paths.contains(where: isKept) {
            try writeAtomically(old, to: copies.next, isPrivate: true)
        }
        try writeAtomically(text, to: path, isPrivate: !isThere)
    }
}

/// The copies that userctl keeps beside a file that it changes: `config.yaml.before-userctl`,
/// `config.yaml.before-userctl-2` and so on. A copy is never replaced.
struct KeptCopies {
    private(set) var paths: [String] = []
    /// The path of another copy.
    private(set) var next: String

    init(of path: String) {
        next = path + ".before-userctl"
        while access(next, F_OK) == 0 || access(next + ".origin", F_OK) == 0 {
            paths.append(next)
            next = path + ".before-userctl-\(paths.count + 1)"
        }
    }
}

extension DoctorProbes {
    /// The reason that userd would refuse the file in place of config.yaml; nil if it would take it, or if no userd is
    /// installed.
    func mistake(inConfiguration path: String) throws -> String? {
        guard let userd = find("userd") else { return nil }
        let check: ProgramRun
        do {
            check = try run(userd, ["--check-config", path, "--with-machine-config"], [], .seconds(10))
        } catch {
            return "\(userd) --check-config: \(error)"
        }
        return check.code == 0 ? nil : check.complaint
    }
}
