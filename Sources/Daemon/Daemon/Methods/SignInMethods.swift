import Model
import Sync
import UserdAPI
import Varlink

/// How people sign in. Throws `UpstreamError`.
package struct SignInMethods: Sendable {
    /// False if the settings let nobody sign in; `signOut` then forgets what earlier settings named.
    package var canSignIn: Bool
    package var account: @Sendable () -> Account
    /// - Parameter show: called once, with what the person does.
    package var signIn:
        @Sendable (SignInGrant?, _ show: @escaping @Sendable (SignInReply) -> Void) async throws -> Account
    package var finish: @Sendable (_ redirect: String) async throws -> Void
    package var signOut: @Sendable (_ keeping: Bool) async throws -> SignOutReply

    package init(
        canSignIn: Bool = true, account: @escaping @Sendable () -> Account,
        signIn:
            @escaping @Sendable (SignInGrant?, _ show: @escaping @Sendable (SignInReply) -> Void) async throws
            ->
            Account,
        finish: @escaping @Sendable (_ redirect: String) async throws -> Void,
        signOut: @escaping @Sendable (_ keeping: Bool) async throws -> SignOutReply
    ) {
        self.canSignIn = canSignIn
        (self.account, self.signIn, self.finish, self.signOut) = (account, signIn, finish, signOut)
    }
}

extension DaemonMethods {
    /// The sign-in ends with the call.
    func signIn(_ parameters: SignIn) throws -> Answer {
        let methods = try requiredSignIn()
        let engine = engine
        let (replies, arrived) = AsyncThrowingStream.makeStream(of: SignInReply.self)
        let task = Task {
            do {
                let account = try await methods.signIn(parameters.grant) { arrived.yield($0) }
                // The users of this person, without waiting for the interval.
                _ = try? await engine.sync([.users], isNew: true)
                arrived.yield(SignInReply(account: account))
                arrived.finish()
            } catch { arrived.finish(throwing: error) }
        }
        return .stream(
            ReplyStream(
                next: {
                    try await translatingSignIn {
                        for try await reply in replies {
                            return Reply(parameters: try encoded(reply), continues: reply.account == nil)
                        }
                        return nil
                    }
                }, cancel: { task.cancel() }))
    }

    func finish(_ parameters: FinishSignIn) async throws -> NoParameters {
        let methods = try requiredSignIn()
        try await translatingSignIn { try await methods.finish(parameters.redirect) }
        return NoParameters()
    }

    func signOut(_ parameters: SignOut) async throws -> SignOutReply {
        let former = try await translatingSignIn { try await signIn()?.signOut(parameters.keep ?? false) }
        if let former, former.wasSignedIn { return former }
        _ = try requiredSignIn()
        return SignOutReply(wasSignedIn: false)
    }

    private func requiredSignIn() throws -> SignInMethods {
        guard let methods = signIn(), methods.canSignIn else {
            throw UserdError.upstreamFailed(
                failure: Failure(
                    kind: .credentials,
                    message:
                        "the settings name no provider to sign in at; set users.oauth.issuer and client_id",
                    retryable: false)
            ).wire
        }
        return methods
    }
}

private func translatingSignIn<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let error as UpstreamError {
        throw UserdError.upstreamFailed(failure: error.failure).wire
    } catch is CancellationError {
        throw UserdError.ending.wire
    }
}
