import Glibc
import Logging
import Model
import Platform
import StrictJSON
import Upstream
import UserdAPI

extension Attention {
    /// The mark after one of the states; nil for none.
    /// - Parameters:
    ///   - mark: the one that is there.
    ///   - users: the state of users.
    ///   - account: nil if nobody may sign in.
    ///   - secret: the version of the person's own secrets; nil if there are none.
    static func after(_ mark: Attention?, _ users: State, account: Account?, secret: String?) -> Attention? {
        let kept = mark.flatMap { mark in
            switch mark.kind {
            case .signIn: mark.id == account?.since.map { "\($0.milliseconds)" } ? mark : nil
            case .secret: secret.map { mark.id.hasPrefix($0 + " ") } == true ? mark : nil
            }
        }
        if users.phase == .syncing { return kept }
        guard users.phase == .error, let failure = users.failure else { return nil }
        switch (failure.kind, failure.httpStatus, failure.advice?.kind) {
        case (.credentials, _, .signIn?), (.credentials, _, .askForOfflineAccess?):
            // Whoever has signed out, or never signed in, knows that.
            return account?.since.map { Attention(kind: .signIn, id: "\($0.milliseconds)") }
        case (.http, 401?, _), (.ldap, _, .checkPassword?):
            if let kept, kept.kind == .secret { return kept }
            // A secret that was taken again may be refused once more.
            return secret.map { Attention(kind: .secret, id: "\($0) \(users.since.milliseconds)") }
        // A password rests after a refusal, or after a login without an answer.
        case (.credentials, _, nil): return kept
        // A server that is away, or at its limit, says nothing of who asks.
        default: return failure.retryable ? kept : nil
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
        let path = parent(of: settings.database) + "/" + Attention.fileName
        let old = (try? RegularFile(path, upTo: 4096))?.bytes
        let mark = Attention.after(
            old.flatMap { Attention($0) }, users, account: account, secret: settings.ownSecretVersion)
        do {
            let new = try mark.map { try StrictJSON.encode($0) }
            guard new != old else { return }
            if let new {
                try replaceDurably(path, with: [new])
            } else {
                try removeDurably(path)
            }
        } catch {
            logger.warning("Cannot change the mark for a notification", metadata: ["reason": "\(error)"])
        }
    }
}
