/// The result of stat(2) at a path.
enum FileFact: Hashable, Sendable {
    enum Kind: String, Sendable { case folder, file, socket, link, other }

    case absent
    /// With the system's error.
    case unknown(String)
    /// - Parameter mode: the permission bits.
    case found(Kind, owner: UInt32, mode: UInt32)
}

/// Checks a file or folder of userd, which must be private to its owner.
/// - Parameters:
///   - option: the option that names another path, such as `--socket`.
///   - other: what to do about a path that can't be userd's.
func privacyCheck(
    _ subject: CheckSubject, _ path: String, _ fact: FileFact, is kind: FileFact.Kind, user: UInt32,
    option: String = "", other: String? = nil
) -> Check {
    let isFolder = kind == .folder
    let expected: UInt32 = isFolder ? 0o700 : 0o600
    let other = other ?? "name another one with \(option), or move this one away"
    switch fact {
    case .absent:
        return subject.skipped("\(path) does not exist yet: userd creates it")
    case .unknown(let reason):
        return subject.failed("can't look at \(path): \(reason)", "check the folders above it")
    case .found(let found, _, _) where found != kind:
        return subject.failed(
            found == .link ? "\(path) is a symbolic link" : "\(path) is not a \(kind.rawValue)", other)
    case .found(_, let owner, let mode):
        // A shared folder such as /tmp is safe if it is root's and sticky: users can't replace each other's files.
        if isFolder, owner == 0, mode & 0o1000 != 0 {
            return subject.ok("\(path) is shared, but protects each user's files")
        }
        guard owner == user else { return subject.failed("\(path) belongs to user \(owner)", other) }
        // A folder that other programs use, too, must keep its mode.
        let isOwn = !isFolder || path.hasSuffix("/userd")
        let fix =
            isOwn
            ? "`chmod \(String(expected, radix: 8)) \(shellQuoted(path))`"
            : "name a path in a separate folder with \(option)"
        guard mode & 0o022 == 0 else { return subject.failed("others can write to \(path)", fix) }
        guard mode & 0o077 == 0 else { return subject.warning("others can look into \(path)", fix) }
        // root needs no permissions.
        if user != 0, mode & expected != expected {
            let wanting = mode & 0o400 == 0 ? "read" : mode & 0o200 == 0 ? "write to" : "look into"
            return subject.failed(
                "neither you nor userd has permission to \(wanting) \(path)",
                "`chmod u+\(isFolder ? "rwx" : "rw") \(shellQuoted(path))`")
        }
        return subject.ok("\(path) is private to you")
    }
}
