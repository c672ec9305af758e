import Glibc
import HTTP
import Model
import Platform
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

    private let path: String
    private let turn = Mutex(())

    init(beside cache: String) { path = parent(of: cache) + "/secrets.json" }

    func logins(now: @escaping @Sendable () -> Timestamp) -> Logins {
        Logins(
            stored: { [self] in records.logins },
            store: { [self] account, record in change { $0.logins[account] = record } }, now: now)
    }

    /// Why a secret may not go where the settings lead it; nil if all may.
    func misdirection(_ settings: Settings) -> String? {
        settings.misdirection
            ?? settings.secretFiles.lazy.compactMap { [self] in $0.misdirection(firstUsedFor: firstOrigin) }
            .first
    }

    /// The origin that a found file was first used for; if there is none yet, this one.
    private func firstOrigin(of secret: SecretFile) -> String {
        if let known = records.origins[secret.path.text] { return known }
        change { $0.origins[secret.path.text] = secret.origin }
        return secret.origin
    }

    private var records: Records {
        let bytes = (try? RegularFile(path, upTo: 1 << 20).bytes) ?? []
        return (try? JSONValue(validating: bytes, maximumDepth: 8).decode(Records.self)) ?? Records()
    }

    /// A file that can't be written is no reason not to sync: this process remembers.
    private func change(_ change: (inout Records) -> Void) {
        turn.withLock { _ in
            var records = records
            change(&records)
            try? makePrivateFolder(parent(of: path))
            // Another process may write at the same time.
            try? replaceDurably(path, with: [StrictJSON.encode(records)], temporary: "\(path).\(getpid())")
        }
    }
}
