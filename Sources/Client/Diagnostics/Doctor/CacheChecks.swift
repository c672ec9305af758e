import BaseDirectories
import Cache
import CommandSupport
import TerminalViews

/// The facts behind the cache's checks.
package struct CacheFacts: Sendable {
    /// Nil if unknown.
    package var path: String?
    package var directory: FileFact
    package var file: FileFact
    /// Nil if there is no file.
    package var examination: CacheExamination?
    package var setAside: [SetAside]
    /// Free for users other than root on the file's file system; nil if unknown.
    package var freeBytes: Int?
    /// Whether the file system is mounted read-only.
    package var isReadOnly: Bool
    package var user: UInt32

    package init(
        path: String?, directory: FileFact = .absent, file: FileFact = .absent,
        examination: CacheExamination? = nil, setAside: [SetAside] = [], freeBytes: Int? = nil,
        isReadOnly: Bool = false, user: UInt32
    ) {
        (self.path, self.directory, self.file, self.user) = (path, directory, file, user)
        self.setAside = setAside
        (self.examination, self.freeBytes, self.isReadOnly) = (examination, freeBytes, isReadOnly)
    }
}

extension CheckSubject {
    fileprivate static let path = CheckSubject(name: "cache.path", title: "Cache's path")
    fileprivate static let directory = CheckSubject(name: "cache.directory", title: "Cache's folder")
    fileprivate static let file = CheckSubject(name: "cache.file", title: "Cache")
    fileprivate static let content = CheckSubject(name: "cache.content", title: "Cache's content")
    fileprivate static let setAside = CheckSubject(name: "cache.set_aside", title: "Damaged cache")
    fileprivate static let space = CheckSubject(name: "cache.space", title: "Disk space")
}

package func cacheChecks(_ facts: CacheFacts) -> [Check] {
    guard let path = facts.path else {
        return [
            CheckSubject.path.failed(
                "unknown: HOME is not set", "name the file with --database or USERD_DATABASE")
        ]
    }
    return [
        CheckSubject.path.ok(path),
        privacyCheck(
            .directory, parent(of: path), facts.directory, is: .folder, user: facts.user,
            option: "--database"),
        fileCheck(facts, path), contentCheck(facts, path), spaceCheck(facts, path),
    ] + facts.setAside.map(setAsideCheck)
}

/// Gives no advice about a file that may be another program's.
private func fileCheck(_ facts: CacheFacts, _ path: String) -> Check {
    switch facts.examination {
    case .foreign, .noDatabase: CheckSubject.file.skipped("it may not be userd's")
    default: privacyCheck(.file, path, facts.file, is: .file, user: facts.user, option: "--database")
    }
}

private func contentCheck(_ facts: CacheFacts, _ path: String) -> Check {
    let subject = CheckSubject.content
    // The check of the file reports it.
    if case .found(_, facts.user, let mode) = facts.file, facts.user != 0, mode & 0o400 == 0 {
        return subject.skipped("you have no permission to read it")
    }
    return switch facts.examination {
    case nil: subject.skipped("there is no cache yet")
    case .sound(let schema): subject.ok("no damage, schema \(schema)")
    case .unfinished(let schema):
        subject.ok("schema \(schema), no damage in the part that was checked in time")
    case .corrupt(let reason): subject.failed("it is damaged: \(reason)", advice: settingAside(path))
    case .blank:
        subject.warning("it is still empty", startAdvice + ": it fetches everything")
    case .noDatabase:
        subject.failed(
            "it is not a database",
            advice: ["give userd another file with --database; or, if this was its cache:"]
                + settingAside(path))
    case .foreign:
        subject.failed(
            "the file belongs to another program", "give userd another file with --database")
    case .newer(let schema, let known):
        subject.failed(
            "it has schema \(schema), which is newer than this version's \(known)",
            advice: ["install the newer version again, or:"] + settingAside(path))
    case .older(let schema, let known):
        subject.warning(
            "it has schema \(schema), which is older than this version's \(known)",
            startAdvice + ": it migrates the cache")
    case .unreadable(let reason):
        subject.failed("it can't be read: \(reason)", "`ls -ld \(shellQuoted(parent(of: path)))` may say why")
    }
}

private func setAsideCheck(_ file: SetAside) -> Check {
    CheckSubject.setAside.warning(
        "userd found damage at \(file.time), and set the cache aside as \(file.path)",
        "it may be removed: `rm -f \(shellQuoted(file.path))*`; if it happens again, check the disk and the memory"
    )
}

private func settingAside(_ path: String) -> [String] {
    let path = shellQuoted(path)
    return [
        "move it away; userd then fetches everything again:",
        "  systemctl --user stop userd.socket userd.service", "  mv \(path) \(path).broken",
        "  rm -f \(path)-wal \(path)-shm", "  systemctl --user start userd",
    ]
}

/// In bytes: enough for a sync of many users; the minimum for SQLite.
private let (comfortable, least) = (256 << 20, 8 << 20)

private func spaceCheck(_ facts: CacheFacts, _ path: String) -> Check {
    guard !facts.isReadOnly else {
        return CheckSubject.space.failed(
            "the cache's file system is mounted read-only: userd can't write there",
            "`findmnt --target \(shellQuoted(parent(of: path)))` shows it;"
                + " mount it for writing, or name another file with --database")
    }
    guard let free = facts.freeBytes else {
        return CheckSubject.space.skipped("the free space is unknown")
    }
    let found = "\(grouped(free >> 20)) MiB free on the cache's file system"
    let advice = "free some space: `df -h` shows where"
    if free < least { return CheckSubject.space.failed(found, advice) }
    return free < comfortable ? CheckSubject.space.warning(found, advice) : CheckSubject.space.ok(found)
}
