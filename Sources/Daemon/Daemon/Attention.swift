import Glibc
import Logging
import Model
import Platform
import StrictJSON
import Upstream

extension Attention {
    /// A change of the mark after one of the states.
    enum Change: Hashable, Sendable {
        case unchanged
        case set(Attention?)
    }

    /// - Parameters:
    ///   - users: the state of users.
    ///   - account: nil if nobody may sign in.
    ///   - secret: the version of the person's own secrets; nil if there are none.
    static func change(after users: State, account: Account?, secret: String?) -> Change {
        if users.phase == .syncing { return .unchanged }
        guard users.phase == .error, let failure = users.failure else { return .set(nil) }
        if failure.kind == .credentials,
            [.signIn, .askForOfflineAccess].contains(failure.advice?.kind)
        {
            // Whoever has signed out, or never signed in, knows that.
            return .set(account?.since.map { Attention(kind: .signIn, id: "\($0.milliseconds)") })
        }
        guard let secret else { return .set(nil) }
        switch (failure.kind, failure.httpStatus, failure.advice?.kind) {
        case (.http, 401?, _), (.ldap, _, .checkPassword?):
            return .set(Attention(kind: .secret, id: secret))
        // A password rests after a refusal, or after a login without an answer.
        case (.credentials, _, nil): return .unchanged
        default: return .set(nil)
        }
    }
}

extension Settings {
    /// Differs between versions of the secrets for upstream that are in the person's own folder; nil if none is there. Of files of
    /// an administrator, the person can change nothing.
    var ownSecretVersion: String? {
        guard let ownFolder, users.sasl == nil else { return nil }
        let times = secretPaths.filter { use, path in
            ![.addressBook, .clientSecret].contains(use) && path.text.hasPrefix(ownFolder + "/")
        }.compactMap { Secret.changeTime(ofFile: $0.path.text) }
        return times.isEmpty ? nil : times.joined(separator: " ")
    }
}

extension Daemon {
    /// Writes or removes the mark.
    func markAttention(_ states: [State]) {
        let settings = current.loaded.settings
        guard !settings.hasStandIn, let users = states.first(where: { $0.resource == .users }) else { return }
        let account = current.signIn.flatMap { $0.canSignIn ? $0.account() : nil }
        let change = Attention.change(after: users, account: account, secret: settings.ownSecretVersion)
        guard case .set(let attention) = change else { return }
        let path = parent(of: settings.database) + "/" + Attention.fileName
        do {
            let content = try attention.map { try StrictJSON.encode($0) }
            guard content != (try? RegularFile(path, upTo: 4096))?.bytes else { return }
            if let content {
                try replaceDurably(path, with: [content])
            } else {
                try removeDurably(path)
            }
        } catch {
            logger.warning("No notification is shown", metadata: ["reason": "\(error)"])
        }
    }
}
