/// What there is at a path.
package enum FileFact: Hashable, Sendable {
    package enum Kind: Sendable { case folder, file, socket, link, other }

    case absent
    /// The system's reason for not telling.
    case unknown(String)
    /// - Parameter mode: the permissions.
    case found(Kind, owner: UInt32, mode: UInt32)
}

/// A file or folder of userd's, which takes care that they are their owner's alone.
struct OwnFile {
    let subject: CheckSubject
    let path: String
    let fact: FileFact
    let user: UInt32
    /// Such as `--socket`.
    let option: String

    /// What userd needs a folder to be, and what it makes it.
    func folderCheck() -> Check {
        check(is: .folder, called: "a folder", mode: 0o700)
    }

    /// - Parameters:
    ///   - kind: what it has to be.
    ///   - name: of the kind, with its article.
    ///   - mode: that it should have.
    func check(is kind: FileFact.Kind, called name: String, mode expected: UInt32) -> Check {
        let other = "name another with \(option), or move this one away"
        switch fact {
        case .absent:
            return subject.skipped("\(path) is not there yet: userd makes it")
        case .unknown(let reason):
            return subject.failed("\(path) can't be looked at: \(reason)", "look at the folders above it")
        case .found(let found, _, _) where found != kind:
            return subject.failed(
                found == .link ? "\(path) is a symbolic link" : "\(path) is not \(name)", other)
        case .found(_, let owner, let mode):
            // A shared folder such as /tmp lets nobody replace another's files: it is root's, and sticky.
            if kind == .folder, owner == 0, mode & 0o1000 != 0 {
                return subject.ok("\(path) is shared, and keeps everybody's files apart")
            }
            guard owner == user else { return subject.failed("\(path) belongs to user \(owner)", other) }
            // A folder that is not userd's alone has to stay as others need it.
            let isOwn = kind != .folder || path.hasSuffix("/userd")
            let mending =
                isOwn
                ? "`chmod \(String(expected, radix: 8)) \(shellQuoted(path))`"
                : "name one in a folder of its own with \(option)"
            guard mode & 0o022 == 0 else { return subject.failed("others may write to \(path)", mending) }
            guard mode & 0o077 == 0 else { return subject.warning("others may look into \(path)", mending) }
            // To root all is allowed.
            let needed: UInt32 = kind == .folder ? 0o700 : 0o600
            if user != 0, mode & needed != needed {
                let wanting = mode & 0o400 == 0 ? "read" : mode & 0o200 == 0 ? "write to" : "look into"
                return subject.failed(
                    "you may not \(wanting) \(path), and neither may userd",
                    "`chmod u+\(kind == .folder ? "rwx" : "rw") \(shellQuoted(path))`")
            }
            return subject.ok("\(path) is yours alone")
        }
    }
}
