import Glibc
import HTTP
import Model
import Platform
import Settings
import StrictJSON
import Synchronization

/// What is known of the files of secrets: how the last login with each password ended, and the origin that a file found
/// beside config.yaml was first used for. In a file beside the cache, for all processes; it holds nothing of the secrets.
final class SecretLog: Sendable {
    private struct Records: Codable {
        var version = 1
        var logins: [String: LoginRecord] = [:]
        var origins: [String: String] = [:]
    }

    let logins: Logins
    private let file: RecordFile

    /// - Parameter cache: the cache's path.
    init(beside cache: String, now: @escaping @Sendable () -> Timestamp) {
        let file = RecordFile(path: parent(of: cache) + "/secrets.json")
        self.file = file
        logins = Logins(
            store: Logins.Store(
                read: { file.records.logins },
                write: { account, record in file.change { $0.logins[account] = record } }), now: now)
    }

    /// Why a secret may not go where the settings lead it; nil if all may.
    func misdirection(_ settings: Settings) -> String? {
        let firsts = settings.secretFiles.lazy.compactMap { [self] file in
            file.misdirection(firstUsedFor: firstOrigin)
        }
        return settings.misdirection ?? firsts.first
    }

    /// The origin that a found file was first used for; if there is none yet, this one.
    private func firstOrigin(of secret: SecretFile) -> String {
        if let known = file.records.origins[secret.path] { return known }
        file.change { $0.origins[secret.path] = secret.origin }
        return secret.origin
    }

    private final class RecordFile: Sendable {
        private let path: String
        private let turn = Mutex(())

        init(path: String) { self.path = path }

        var records: Records {
            guard let bytes = try? RegularFile(path, upTo: 1 << 20).bytes,
                let json = try? JSONValue(validating: bytes, maximumDepth: 8), json["version"]?.int == 1,
                let records = try? json.decode(Records.self)
            else { return Records() }
            return records
        }

        /// A file that can't be written is no reason not to sync: this process remembers.
        func change(_ change: (inout Records) -> Void) {
            turn.withLock { _ in
                var records = records
                change(&records)
                try? makePrivateFolder(parent(of: path))
                // Another process may write at the same time.
                try? replaceDurably(
                    path, with: StrictJSON.encode(records), temporary: "\(path).\(getpid())")
            }
        }
    }
}
