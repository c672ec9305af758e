import Model
import Sync
import Upstream
import UserdAPI
import Varlink

extension DaemonMethods {
    /// The sign-in ends with the call.
    func signIn(_ parameters: SignIn) throws -> Answer {
        let (engine, service) = (engine, try requiredSignIn())
        let (replies, arrived) = AsyncThrowingStream.makeStream(of: SignInReply.self)
        let task = Task {
            do {
                let account = try await service.signIn(parameters.grant ?? service.usualGrant) { prompt in
                    arrived.yield(
                        SignInReply(
                            address: prompt.address, code: prompt.code, life: prompt.life.inSeconds))
                }
                // The users of this person, without waiting for the interval.
                _ = try? await engine.sync([.users], isNew: true)
                arrived.yield(SignInReply(account: account))
                arrived.finish()
            } catch { arrived.finish(throwing: error) }
        }
        return .stream(
            ReplyStream(
                next: {
                    try await translated {
                        for try await reply in replies {
                            return Reply(parameters: try encoded(reply), continues: reply.account == nil)
                        }
                        return nil
                    }
                }, cancel: { task.cancel() }))
    }

    func finish(_ parameters: FinishSignIn) async throws -> NoParameters {
        try await requiredSignIn().paste(parameters.redirect)
        return NoParameters()
    }

    func signOut(_ parameters: UserdAPI.SignOut) async throws -> SignOutReply {
        switch try await signIn()?.signOut(parameters.keep ?? false) {
        case .revoked: return SignOutReply(wasSignedIn: true)
        case .notRevoked(let reason): return SignOutReply(wasSignedIn: true, complaint: reason)
        case .nobodyWasSignedIn, nil:
            _ = try requiredSignIn()
            return SignOutReply(wasSignedIn: false)
        }
    }

    private func requiredSignIn() throws -> SignInService {
        guard let service = signIn(), service.canSignIn else {
            throw UpstreamError(
                .credentials,
                "the settings name no provider to sign in at; set users.oauth.issuer and client_id")
        }
        return service
    }
}
