import Glibc

/// A folder in which userd or userctl writes files without being told where, and the names of these files. `*` stands for
/// a number or a time. `userctl service remove` removes them and no others, `make uninstall` and Privacy.md name them.
package struct OwnFolder: Sendable {
    package let path: String
    var data: [String] = []
    /// Settings and secrets, which stay unless they are asked for.
    var configuration: [String] = []
    /// Names of other files that are told of as left; nil for all, in userd's own folder.
    var told: [String]?

    /// The list: code that writes another file adds it here and to Privacy.md.
    /// - Parameter database: the cache, which may be elsewhere, and has a lock beside it.
    package static func all(_ base: BaseDirectories, database: String?) -> [OwnFolder] {
        var folders: [OwnFolder] = []
        if let cache = base.cacheDirectory {
            let files = ["userd.db", "replay.db", "mock.db"].flatMap(cacheFiles)
            folders.append(OwnFolder(path: cache, data: files + ["secrets.json", "secrets.json.*"]))
        }
        if let database, parent(of: database) != base.cacheDirectory {
            let name = String(database.split(separator: "/").last ?? "")
            // Other programs may have a file of that name.
            let files = access(database + ".lock", F_OK) == 0 ? cacheFiles(name) : []
            folders.append(
                OwnFolder(path: parent(of: database), data: files, told: [name, "secrets.json"]))
        }
        for tokens in base.tokenFolders {
            folders.append(
                OwnFolder(path: tokens, data: ["users.json", "users.json.new", "users.json.lock"]))
        }
        guard let file = base.configFile else { return folders }
        let (own, all) = (parent(of: file), parent(of: parent(of: file)))
        let names = SecretKind.allCases.map(\.file)
        let copies = ["", ".before-userctl", ".before-userctl-*"]
        let secrets = names.flatMap { name in copies.flatMap { [name + $0, name + $0 + ".origin"] } }
        return folders + [
            OwnFolder(path: ofTrials(in: own), data: ["config-*.yaml", ".userctl-*"]),
            OwnFolder(
                path: own,
                data: [
                    BaseDirectories.addressBookPassword, BaseDirectories.addressBookPassword + ".new",
                ],
                configuration: copies.map { "config.yaml" + $0 } + ["config.yaml.userctl", ".userctl-*"]
                    + secrets),
            OwnFolder(
                path: all + "/systemd/user/userd.service.d",
                configuration: (["kerberos"] + names).map { $0 + ".conf" } + [".userctl-*"]),
            OwnFolder(path: all + "/evolution/sources", data: ["userd.source", ".userctl-*"], told: []),
        ]
    }

    /// The folder of the configuration that `connect` tries.
    /// - Parameter folder: that of config.yaml.
    package static func ofTrials(in folder: String) -> String { folder + "/.connect" }

    /// SQLite's files and userd's beside a database. The lock comes last, and is held until then.
    private static func cacheFiles(_ name: String) -> [String] {
        let suffixes = ["", "-wal", "-shm", "-journal"]
        return (suffixes + suffixes.map { ".damaged-*" + $0 } + [".lock"]).map { name + $0 }
    }
}

// MARK: - What is there

extension OwnFolder {
    /// - Parameter isFile: not a folder, a link or a device.
    package typealias Entry = (name: String, isFile: Bool)

    /// The entries of the folder by what happens to them.
    package struct Plan {
        package var removed: [String] = []
        package var kept: [String] = []
        /// Not userd's: also links and folders with names of its files.
        package var foreign: [String] = []
    }

    package func plan(_ entries: [Entry], withConfiguration: Bool) -> Plan {
        var plan = Plan()
        let order = data + configuration
        func place(_ entry: Entry) -> Int? {
            entry.isFile ? order.firstIndex { matches(entry.name, $0) } : nil
        }
        let sorted = entries.map { (place($0), $0.name) }.sorted {
            ($0.0 ?? .max, $0.1) < ($1.0 ?? .max, $1.1)
        }
        for (place, name) in sorted {
            switch place {
            case .some(let place) where place < data.count || withConfiguration: plan.removed.append(name)
            case .some: plan.kept.append(name)
            case nil: if told?.contains(name) ?? true { plan.foreign.append(name) }
            }
        }
        return plan
    }

    /// Nil if the folder does not exist. Throws for a link or a file in its place, too.
    package func entries() throws(FileWriteError) -> [Entry]? {
        guard let descriptor = try opened() else { return nil }
        guard let directory = fdopendir(descriptor) else {
            close(descriptor)
            throw FileWriteError(path: path, code: errno)
        }
        defer { closedir(directory) }
        return names(of: directory).filter { $0 != "." && $0 != ".." }.map { name in
            var status = stat()
            let isThere = fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
            return (name, isThere && status.st_mode & S_IFMT == S_IFREG)
        }
    }

    /// Removes files, and userd's own folder if it is empty then. Follows no link.
    /// - Returns: the names that could not be removed.
    package func remove(_ names: [String]) throws(FileWriteError) -> [String] {
        guard let descriptor = try opened() else { return [] }
        defer { close(descriptor) }
        let failed = names.filter { unlinkat(descriptor, $0, 0) != 0 && errno != ENOENT }
        // Others' folders stay.
        if told == nil { rmdir(path) }
        return failed
    }

    private func opened() throws(FileWriteError) -> Int32? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor < 0 else { return descriptor }
        if errno == ENOENT { return nil }
        throw FileWriteError(path: path, code: errno)
    }
}

private func matches(_ name: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, parts.count == 2 else { return name == pattern }
    let fixed = first.utf8.count + last.utf8.count
    return name.utf8.count > fixed && name.hasPrefix(first) && name.hasSuffix(last)
        && name.utf8.dropFirst(first.utf8.count).dropLast(last.utf8.count).allSatisfy {
            "0123456789TZ".utf8.contains($0)
        }
}
