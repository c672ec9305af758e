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
            folders.append(
                OwnFolder(
                    path: cache,
                    data: files + ["secrets.json", "secrets.json.*", "attention", "attention.new"]))
        }
        if let database, parent(of: database) != base.cacheDirectory {
            let name = String(database.split(separator: "/").last ?? "")
            // Other programs may have a file of that name.
            let files = access(database + ".lock", F_OK) == 0 ? cacheFiles(name) : []
            folders.append(
                OwnFolder(path: parent(of: database), data: files, told: [name, "secrets.json", "attention"]))
        }
        folders += base.tokenFolders.map {
            OwnFolder(path: $0, data: ["users.json", "users.json.new", "users.json.lock"])
        }
        if let notified = base.notified {
            folders.append(OwnFolder(path: parent(of: notified), data: ["notified", ".userctl-*"]))
        }
        guard let file = base.configFile else { return folders }
        let (own, all, unfinished) = (parent(of: file), parent(of: parent(of: file)), ".userctl-*")
        let secrets = SecretKind.allCases.map(\.file)
        let password = BaseDirectories.addressBookPassword
        let copies = ["", ".before-userctl", ".before-userctl-*"]
        let settings = (copies + [".userctl"]).map { "config.yaml" + $0 }
        let files = secrets.flatMap { name in copies.flatMap { [name + $0, name + $0 + ".origin"] } }
        return folders + [
            OwnFolder(path: ofTrials(in: own), data: ["config-*.yaml", unfinished]),
            OwnFolder(
                path: own, data: [password, password + ".new"],
                configuration: settings + [unfinished] + files),
            OwnFolder(
                path: all + "/systemd/user/userd.service.d",
                configuration: (["kerberos"] + secrets).map { $0 + ".conf" } + [unfinished]),
            OwnFolder(path: all + "/evolution/sources", data: ["userd.source", unfinished], told: []),
        ]
    }

    /// The folder of the configuration that `connect` tries.
    /// - Parameter folder: that of config.yaml.
    package static func ofTrials(in folder: String) -> String { folder + "/.connect" }

    /// SQLite's files and userd's beside a database.
    private static func cacheFiles(_ name: String) -> [String] {
        let suffixes = ["", "-wal", "-shm", "-journal"]
        return (suffixes + suffixes.map { ".damaged-*" + $0 } + [".lock"]).map { name + $0 }
    }
}

// MARK: - What is there

extension OwnFolder {
    package enum Kind { case data, configuration, foreign, untold }

    /// - Parameter isFile: not a folder, a link or a device.
    func kind(of name: String, isFile: Bool) -> Kind {
        func isListed(_ patterns: [String]) -> Bool { isFile && patterns.contains { matches(name, $0) } }
        if isListed(data) { return .data }
        if isListed(configuration) { return .configuration }
        return told?.contains(name) ?? true ? .foreign : .untold
    }

    /// The paths of what is in the folders. Foreign is what is not known to be userd's, and a folder that is a link or can't be
    /// read.
    package static func files(in folders: [OwnFolder]) -> [Kind: [String]] {
        var files: [Kind: [String]] = [:]
        for folder in folders {
            guard let type = fileType(folder.path) else { continue }
            guard type == S_IFDIR, access(folder.path, R_OK | X_OK) == 0 else {
                files[.foreign, default: []].append(folder.path)
                continue
            }
            // Sorted, a cache's lock, by which it is known, comes after its other files.
            for name in names(in: folder.path).sorted() where name != "." && name != ".." {
                let path = "\(folder.path)/\(name)"
                files[folder.kind(of: name, isFile: fileType(path) == S_IFREG), default: []].append(path)
            }
        }
        return files
    }

    /// Removes files, and userd's own folders that are empty then. Others' folders stay.
    package static func remove(_ paths: [String], from folders: [OwnFolder]) {
        for path in paths { unlink(path) }
        for folder in folders where folder.told == nil { rmdir(folder.path) }
    }
}

/// Nil if there is nothing. Follows no link.
private func fileType(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
}

private func matches(_ name: String, _ pattern: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return name == pattern }
    let variable = name.dropFirst(parts[0].count).dropLast(parts[1].count)
    return name.hasPrefix(parts[0]) && name.hasSuffix(parts[1]) && !variable.isEmpty
        && variable.allSatisfy { "0123456789TZ".contains($0) }
}
