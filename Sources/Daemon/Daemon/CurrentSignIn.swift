import Model
import Synchronization
import Upstream
import UserdAPI

/// Signing in by the settings in force.
final class CurrentSignIn: Sendable {
    private let current = Mutex<(service: SignInService, canSignIn: Bool)?>(nil)

    func adopt(_ upstreams: Upstreams) {
        current.withLock { $0 = upstreams.signOut.map { ($0, upstreams.signIn != nil) } }
    }

    /// Nil if a stand-in replaces the upstreams.
    var methods: SignInMethods? {
        guard let (service, canSignIn) = current.withLock({ $0 }) else { return nil }
        return SignInMethods(
            canSignIn: canSignIn, account: service.account,
            signIn: { grant, show in
                try await service.signIn(grant ?? service.usualGrant) { prompt in
                    show(
                        SignInReply(
                            address: prompt.address, code: prompt.code, life: prompt.life.inSeconds))
                }
            }, finish: service.paste,
            signOut: { keeping in
                switch try await service.signOut(keeping) {
                case .revoked: SignOutReply(wasSignedIn: true)
                case .nobodyWasSignedIn: SignOutReply(wasSignedIn: false)
                case .notRevoked(let reason): SignOutReply(wasSignedIn: true, complaint: reason)
                }
            })
    }
}

extension UnsavedTokens {
    /// Waits until new tokens are on the disk, for 8 of the 10 s that systemd gives a stop.
    func settleAtEnd() async {
        _ = try? await within(.seconds(8), { try await Task.sleep(for: $0) }) { await self.settle() }
    }
}
