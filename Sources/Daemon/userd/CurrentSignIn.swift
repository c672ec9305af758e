import DaemonMethods
import Model
import SignIn
import Synchronization
import UserdAPI

/// Signing in by the settings in force.
final class CurrentSignIn: Sendable {
    private let current = Mutex<SignInService?>(nil)

    func adopt(_ service: SignInService?) { current.withLock { $0 = service } }

    /// Waits, for a moment at most, until new tokens are on the disk.
    func settle() async {
        guard let service = current.withLock({ $0 }) else { return }
        await withTaskGroup { group in
            group.addTask { await service.settle() }
            group.addTask { try? await Task.sleep(for: .seconds(3)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Nil unless the settings let people sign in.
    var methods: SignInMethods? {
        guard let service = current.withLock({ $0 }) else { return nil }
        return SignInMethods(
            account: service.account,
            signIn: { grant, show in
                try await wordingAdvice {
                    try await service.signIn(grant.map(SignInWay.init) ?? service.usualWay) { prompt in
                        show(
                            SignInReply(
                                address: prompt.address, code: prompt.code, life: prompt.life.inSeconds))
                    }
                }
            }, finish: { redirect in try await wordingAdvice { try await service.paste(redirect) } },
            signOut: {
                switch try await wordingAdvice(service.signOut) {
                case .revoked: SignOutReply(wasSignedIn: true)
                case .nobodyWasSignedIn: SignOutReply(wasSignedIn: false)
                case .notRevoked(let reason): SignOutReply(wasSignedIn: true, complaint: reason)
                }
            })
    }
}

extension SignInWay {
    fileprivate init(_ grant: SignInGrant) {
        self =
            switch grant {
            case .browser: .browser
            case .device: .device
            case .paste: .paste
            }
    }
}
