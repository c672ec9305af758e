import BaseDirectories
import Cache
import TerminalViews

/// What was found of the cache file.
package struct CacheFacts: Sendable {
    /// Nil where none is known.
    package var path: String?
    package var directory: FileFact
    package var file: FileFact
    /// Nil where there is no file to look into.
    package var examination: CacheExamination?
    /// For those who are not root, where the file is; nil where that can't be said.
    package var freeBytes: Int?
    /// Whether the file system is one that nobody writes to.
    package var isReadOnly: Bool
    package var user: UInt32

    package init(
        path: String?, directory: FileFact = .absent, file: FileFact = .absent,
        examination: CacheExamination? = nil, freeBytes: Int? = nil, isReadOnly: Bool = false,
        user: UInt32
    ) {
        self.path = path
        self.directory = directory
        self.file = file
        self.examination = examination
        self.freeBytes = freeBytes
        self.isReadOnly = isReadOnly
        self.user = user
    }
}

extension CheckSubject {
    fileprivate static let path = CheckSubject(name: "cache.path", title: "Cache's path")
    fileprivate static let directory = CheckSubject(name: "cache.directory", title: "Cache's folder")
    fileprivate static let file = CheckSubject(name: "cache.file", title: "Cache")
    fileprivate static let content = CheckSubject(name: "cache.content", title: "Cache's content")
    fileprivate static let space = CheckSubject(name: "cache.space", title: "Disk space")
}

package func cacheChecks(_ facts: CacheFacts) -> [Check] {
    guard let path = facts.path else {
        return [
            CheckSubject.path.failed(
                "it is not known: HOME is not set", "name the file with --database or USERD_DATABASE")
        ]
    }
    let directory = OwnFile(
        subject: .directory, path: parent(of: path), fact: facts.directory, user: facts.user,
        option: "--database")
    let file = OwnFile(
        subject: .file, path: path, fact: facts.file, user: facts.user, option: "--database")
    return [
        CheckSubject.path.ok(path), directory.folderCheck(),
        fileCheck(file, facts.examination),
        contentCheck(facts, path), spaceCheck(facts, path),
    ]
}

/// Nobody is told to change what may be another program's.
private func fileCheck(_ file: OwnFile, _ examination: CacheExamination?) -> Check {
    switch examination {
    case .foreign, .noDatabase: CheckSubject.file.skipped("it may not be userd's")
    default: file.check(is: .file, called: "a file", mode: 0o600)
    }
}

private func contentCheck(_ facts: CacheFacts, _ path: String) -> Check {
    let subject = CheckSubject.content
    // That is told of the file.
    if case .found(_, facts.user, let mode) = facts.file, facts.user != 0, mode & 0o400 == 0 {
        return subject.skipped("you may not read it")
    }
    return switch facts.examination {
    case nil: subject.skipped("there is none to look into")
    case .sound(let schema): subject.ok("no damage, schema \(schema)")
    case .unfinished(let schema):
        subject.ok("schema \(schema), and no damage as far as there was time to look")
    case .corrupt(let reason): subject.failed("it is damaged: \(reason)", advice: settingAside(path))
    case .blank:
        subject.warning("there is nothing in it yet", startAdvice + ": it fetches users and facts")
    case .noDatabase:
        subject.failed(
            "it is no database",
            advice: ["give userd a file of its own with --database; or, if this was its cache:"]
                + settingAside(path))
    case .foreign:
        subject.failed(
            "the file belongs to another program", "give userd a file of its own with --database")
    case .newer(let schema, let known):
        subject.failed(
            "it has schema \(schema), and this version knows up to \(known)",
            advice: ["install the newer version again, or:"] + settingAside(path))
    case .older(let schema, let known):
        subject.warning(
            "it has schema \(schema), and this version needs \(known)",
            startAdvice + ": it brings the cache up to date")
    case .unreadable(let reason):
        subject.failed("it can't be read: \(reason)", "`ls -ld \(shellQuoted(parent(of: path)))` may say why")
    }
}

private func settingAside(_ path: String) -> [String] {
    let path = shellQuoted(path)
    return [
        "set it aside; userd then fetches users and facts anew:",
        "  systemctl --user stop userd.socket userd.service", "  mv \(path) \(path).broken",
        "  rm -f \(path)-wal \(path)-shm", "  systemctl --user start userd",
    ]
}

/// What a sync of many users takes for a while, and what SQLite can do nothing without.
private let (comfortable, least) = (256 << 20, 8 << 20)

private func spaceCheck(_ facts: CacheFacts, _ path: String) -> Check {
    guard !facts.isReadOnly else {
        return CheckSubject.space.failed(
            "the file system that the cache is on is mounted read-only: userd can't write there",
            "`findmnt --target \(shellQuoted(parent(of: path)))` tells which;"
                + " have it mounted for writing, or name another place with --database")
    }
    guard let free = facts.freeBytes else {
        return CheckSubject.space.skipped("nobody says how much is left")
    }
    let found = "\(grouped(free >> 20)) MiB left where the cache is"
    let advice = "make room: `df -h` tells where"
    if free < least { return CheckSubject.space.failed(found, advice) }
    return free < comfortable ? CheckSubject.space.warning(found, advice) : CheckSubject.space.ok(found)
}
