import Cache
import Glibc
import Model
import Platform
import StrictJSON
import YAML

/// Finds people in the cache file, never over userd's socket: a userd that is stopped or hangs delays nobody who types.
actor DesktopPeople {
    /// Longer than any search, shorter than what people notice.
    private static let longest = Duration.milliseconds(80)
    static let most = 5

    /// A file that was put in the place of another has another number.
    private struct Identity: Hashable {
        let device: dev_t
        let number: ino_t

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, number) = (status.st_dev, status.st_ino)
        }
    }

    private let console: Console
    private var opened: (identity: Identity, reader: CacheReader)?

    init(_ console: Console) { self.console = console }

    /// The best first; empty if there is no cache, if the search takes too long, or if `desktop` is false.
    func named(_ text: String) async -> [User] {
        guard CacheReader.isSearchable(text), let reader = await reader() else { return [] }
        return (try? await reader.people(named: text, limit: Self.most, within: Self.longest)) ?? []
    }

    func person(_ id: String) async -> User? {
        guard let found = try? await reader()?.user(id) else { return nil }
        // userd trusts the records that it wrote; this file may come from elsewhere.
        let json = try? JSONValue(validating: found.record, maximumDepth: 64)
        guard let user = try? json?.decode(User.self), user.id == id else { return nil }
        return user
    }

    private func reader() async -> CacheReader? {
        guard !console.isTurnedOff("desktop"), let path = console.usualPaths.database,
            let identity = Identity(path)
        else { return nil }
        if let opened, opened.identity == identity { return opened.reader }
        await opened?.reader.close()
        opened = nil
        let reader = try? await CacheReader.offline(
            path: path, busyTimeout: .zero, now: console.clock.now, random: { .random(in: $0) })
        if let reader { opened = (identity, reader) }
        return reader
    }
}

extension Console {
    /// Whether the first configuration file that has the setting says no. A file with a mistake says no, too: another line must
    /// not turn on what somebody has turned off.
    func isTurnedOff(_ setting: String) -> Bool {
        let isBroken = baseDirectories.configFiles.contains { path in
            file(path).map { (try? Configuration($0)) == nil } ?? false
        }
        guard !isBroken else { return true }
        return configured(setting).map { !["true", "yes", "on", "1"].contains($0.text.asciiLowercased) }
            ?? false
    }
}
