import Glibc
import Model
import Platform

/// A damaged cache file that userd has set aside: `<cache>.damaged-<time>`, perhaps with its log.
package struct SetAside: Hashable, Sendable {
    package let path: String
    /// The time when it was set aside, such as 2026-01-31T12:00:00Z.
    package let time: String

    package init(path: String, time: String) { (self.path, self.time) = (path, time) }

    private static func prefix(of cache: String) -> String {
        cache.split(separator: "/").last.map { $0 + ".damaged-" } ?? ""
    }

    package static func all(of cache: String) -> [SetAside] {
        names(of: cache).filter { $0.hasSuffix("Z") }.sorted().map { name in
            let stamp = name.dropFirst(prefix(of: cache).count)
            return SetAside(path: parent(of: cache) + "/" + name, time: written(stamp))
        }
    }

    /// Removes all but the newest, which is still reported. Call once the cache has rows again.
    /// - Parameter now: a file with a later time is of a clock that was ahead.
    static func removeEarlier(of cache: String, now: Timestamp) {
        let (all, now) = (all(of: cache), written(stamp(now)[...]))
        guard let newest = all.last(where: { $0.time <= now }) ?? all.last else { return }
        for name in names(of: cache) {
            let path = parent(of: cache) + "/" + name
            if !path.hasPrefix(newest.path) { unlink(path) }
        }
    }

    /// The time as `20260131T120000Z`, which needs no quotes in a shell.
    static func stamp(_ time: Timestamp) -> String {
        time.description.prefix { $0 != "." && $0 != "Z" }.filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private static func written(_ stamp: Substring) -> String {
        let part = { stamp.dropFirst($0).prefix($1) }
        return "\(part(0, 4))-\(part(4, 2))-\(part(6, 5)):\(part(11, 2)):\(part(13, 3))"
    }

    /// Names of the files, and of SQLite's files next to them.
    fileprivate static func names(of cache: String) -> [String] {
        let prefix = prefix(of: cache)
        return Platform.names(in: parent(of: cache)).filter { $0.hasPrefix(prefix) }
    }
}

extension CacheLock {
    /// Renames the closed cache and SQLite's files next to it.
    /// - Returns: the new path.
    package func setAside(at time: Timestamp) throws -> String {
        try require()
        var time = time
        // An earlier copy may be the only good one.
        while access(path + ".damaged-" + SetAside.stamp(time), F_OK) == 0 { time = time + .seconds(1) }
        let new = path + ".damaged-" + SetAside.stamp(time)
        // The database goes last: a remaining log would be applied to the next database.
        for suffix in ["-wal", "-shm", ""] {
            guard rename(path + suffix, new + suffix) == 0 || errno == ENOENT else {
                throw CacheError.unusable(
                    path: path,
                    reason: "it is damaged and can't be renamed: \(String(cString: strerror(errno)))",
                    advice: "check the permissions of the directory, or remove the file")
            }
        }
        return new
    }
}
