import Cache
import Platform
import TerminalViews

extension CheckSubject {
    fileprivate static let path = CheckSubject(name: "cache.path", title: "Cache's path")
    fileprivate static let directory = CheckSubject(name: "cache.directory", title: "Cache's folder")
    fileprivate static let file = CheckSubject(name: "cache.file", title: "Cache")
    fileprivate static let content = CheckSubject(name: "cache.content", title: "Cache's content")
    fileprivate static let setAside = CheckSubject(name: "cache.set_aside", title: "Damaged cache")
    fileprivate static let space = CheckSubject(name: "cache.space", title: "Disk space")
}

/// - Parameter path: nil if unknown.
func cacheChecks(_ path: String?, _ probes: DoctorProbes) async -> [Check] {
    guard let path else {
        return [
            CheckSubject.path.failed(
                "unknown: HOME is not set", "name the file with --database or USERD_DATABASE")
        ]
    }
    let (user, folder, file) = (probes.user().id, parent(of: path), probes.file(path, false))
    var examination: CacheExamination?
    if case .found(.file, _, _) = file { examination = await probes.cache(path) }
    return [
        CheckSubject.path.ok(path),
        privacyCheck(
            .directory, folder, probes.file(folder, true), is: .folder, user: user, option: "--database"),
        fileCheck(examination, file, path, user: user),
        contentCheck(examination, file, path, user: user),
        spaceCheck(probes.fileSystem(path), path),
    ] + probes.setAside(path).map(setAsideCheck)
}

/// Gives no advice about a file that may belong to another program.
private func fileCheck(
    _ examination: CacheExamination?, _ file: FileFact, _ path: String, user: UInt32
) -> Check {
    switch examination {
    case .foreign, .noDatabase: CheckSubject.file.skipped("it may not be userd's")
    default: privacyCheck(.file, path, file, is: .file, user: user, option: "--database")
    }
}

private func contentCheck(
    _ examination: CacheExamination?, _ file: FileFact, _ path: String, user: UInt32
) -> Check {
    let subject = CheckSubject.content
    // The check of the file reports it.
    if case .found(_, user, let mode) = file, user != 0, mode & 0o400 == 0 {
        return subject.skipped("you have no permission to read it")
    }
    return switch examination {
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

/// - Parameter fileSystem: nil if unknown.
private func spaceCheck(_ fileSystem: (freeBytes: Int, isReadOnly: Bool)?, _ path: String) -> Check {
    guard let (free, isReadOnly) = fileSystem else {
        return CheckSubject.space.skipped("the free space is unknown")
    }
    guard !isReadOnly else {
        return CheckSubject.space.failed(
            "the cache's file system is mounted read-only: userd can't write there",
            "`findmnt --target \(shellQuoted(parent(of: path)))` shows it;"
                + " mount it for writing, or name another file with --database")
    }
    let found = "\(grouped(free >> 20)) MiB free on the cache's file system"
    let advice = "free some space: `df -h` shows where"
    if free < least { return CheckSubject.space.failed(found, advice) }
    return free < comfortable ? CheckSubject.space.warning(found, advice) : CheckSubject.space.ok(found)
}
