import FoundationEssentials
import HTTP
import Model
import Platform
import Synchronization

/// Keeps the tokens of the person who has signed in, and renews them.
///
/// A renewal that has begun goes on if its callers give up: the provider may already have replaced the
/// refresh token, and its successor must reach the disk. One runs at a time, here by the task that all
/// callers share, elsewhere by the lock of the store.
actor TokenKeeper {
    let client: OAuthClient
    let http: ProviderHTTP
    private let store: TokenStore
    private let environment: SignInEnvironment
    /// Reading and writing block.
    private let disk = ThreadPool("tokens", limit: 1)
    private let published: Mutex<Account>

    /// The tokens as last read or written.
    private var held: SavedTokens?
    /// Tokens that could not be written. They are used only once they are.
    private var unwritten: SavedTokens?
    private var renewal: Task<SavedTokens, any Error>?

    /// Reads the tokens, so it blocks for a moment.
    init(_ client: OAuthClient, _ http: ProviderHTTP, _ store: TokenStore, _ environment: SignInEnvironment) {
        (self.client, self.http, self.store, self.environment) = (client, http, store, environment)
        let saved = (try? store.read()).flatMap { client.owns($0.binding) ? $0 : nil }
        for secret in saved?.secrets ?? [] { http.redactor.learn(secret) }
        held = saved
        published = Mutex(
            saved?.account(provider: client.provider)
                ?? Account(signedIn: false, provider: client.provider))
    }

    /// As far as this process knows.
    nonisolated var account: Account { published.withLock { $0 } }

    /// Whether nobody is signed in, by what is on the disk now: another userd may have signed in.
    func isSignedOut() async -> Bool {
        guard let saved = try? await onDisk(store.read), client.owns(saved.binding) else { return true }
        return saved.refusal != nil
    }

    /// A valid access token.
    /// - Parameter refused: the one that upstream has refused.
    func token(refused: String?) async throws -> String {
        if let held, held.isFresh(refused, now: environment.now()) { return held.accessToken }
        let running = renewal ?? beginRenewal(refused)
        return try await running.valueUnlessCancelled().accessToken
    }

    /// Waits for a renewal that runs, so that its tokens are not lost when userd ends. Returns early if cancelled.
    func settle() async { _ = try? await renewal?.valueUnlessCancelled() }

    private func beginRenewal(_ refused: String?) -> Task<SavedTokens, any Error> {
        let task = Task {
            defer { renewal = nil }
            return try await locked { try await renewed(refused) }
        }
        renewal = task
        return task
    }

    // MARK: - Changes, while the lock is held

    private func renewed(_ refused: String?) async throws -> SavedTokens {
        if let unwritten { try await write(unwritten) }
        let saved = try await saved()
        if saved.isFresh(refused, now: environment.now()) { return saved }
        do {
            return try await refreshed(saved)
        } catch let refusal as OAuthRefusal where refusal.endsSignIn {
            // Somebody without this lock may have been faster: a copy of the folder, an older userd.
            let again = try await self.saved()
            if again.refreshToken != saved.refreshToken {
                if again.isFresh(refused, now: environment.now()) { return again }
                do { return try await refreshed(again) } catch let refusal as OAuthRefusal {
                    throw await ended(again, refusal)
                }
            }
            throw await ended(saved, refusal)
        } catch let refusal as OAuthRefusal {
            // About the client or the request: the refresh token stays.
            throw refusal.failure("userd gets no new token")
        }
    }

    /// The tokens on the disk. Throws if nobody is signed in.
    private func saved() async throws -> SavedTokens {
        guard let saved = try await onDisk(store.read), client.owns(saved.binding) else {
            publish(nil)
            throw UpstreamError(
                .credentials, "nobody is signed in at \(client.provider)", advice: .signIn(.signIn))
        }
        publish(saved)
        if let refusal = saved.refusal {
            throw UpstreamError(.credentials, refusal, advice: .signIn(.signIn))
        }
        return saved
    }

    private func refreshed(_ saved: SavedTokens) async throws -> SavedTokens {
        guard let token = saved.refreshToken, let url = URL(httpAddress: saved.binding.tokenEndpoint) else {
            throw UpstreamError(
                .credentials, "the sign-in at \(client.provider) has ended, and it gave no refresh token",
                advice: .signIn(.askForOfflineAccess))
        }
        var fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
        // Without it, some providers give back less (RFC 6749, section 6: the scope that was granted).
        if let scope = client.scope { fields.append(("scope", scope)) }
        let answer: TokenAnswer
        do {
            answer = try await http.tokens(fields, at: url, of: client)
        } catch let error as UpstreamError where [.offline, .timeout].contains(error.failure.kind) {
            // If only the answer was lost, the provider takes the old token for a few seconds more.
            answer = try await http.tokens(fields, at: url, of: client)
        }
        let tokens = saved.refreshed(by: answer)
        try await write(tokens)
        return tokens
    }

    /// Remembers, also across restarts, that the refresh token is over. Returns the failure.
    private func ended(_ saved: SavedTokens, _ refusal: OAuthRefusal) async -> UpstreamError {
        var tokens = saved
        let failure = refusal.failure("the sign-in has ended")
        tokens.refusal = failure.failure.message
        // If it can't be written now, the next renewal does that first.
        try? await write(tokens)
        return UpstreamError(failure.failure, advice: .signIn(.signIn))
    }

    private func write(_ tokens: SavedTokens) async throws {
        unwritten = tokens
        do { try await onDisk { [store] in try store.write(tokens) } } catch {
            throw failure(error)
        }
        unwritten = nil
        publish(tokens)
    }

    private func publish(_ tokens: SavedTokens?) {
        for secret in tokens?.secrets ?? [] { http.redactor.learn(secret) }
        held = tokens
        let account =
            tokens?.account(provider: client.provider) ?? Account(signedIn: false, provider: client.provider)
        published.withLock { $0 = account }
    }

    // MARK: - Signing in and out

    /// Checks that tokens could be written, before a person goes to the provider.
    func requireWritable() async throws { try await locked {} }

    func adopt(_ tokens: SavedTokens) async throws {
        try await Task { try await locked { try await write(tokens) } }.value
    }

    /// Removes the tokens. Returns them as they were; nil if there were none.
    func forget() async throws -> SavedTokens? {
        try await Task {
            try await locked {
                let saved = try await onDisk(store.read)
                unwritten = nil
                do { try await onDisk(store.remove) } catch { throw failure(error) }
                publish(nil)
                return saved.flatMap { client.owns($0.binding) ? $0 : nil }
            }
        }.value
    }

    // MARK: - Disk

    /// Longer than two requests take.
    private static let patience = Duration.seconds(150)

    private func locked<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let end = environment.monotonic() + Self.patience
        var lock = try await takenLock()
        while lock == nil {
            guard environment.monotonic() < end else {
                throw UpstreamError(
                    Failure(
                        kind: .credentials, message: "another program does not let go of \(store.path).lock",
                        retryable: true))
            }
            try await environment.sleep(.milliseconds(50))
            lock = try await takenLock()
        }
        defer { withExtendedLifetime(lock) {} }
        return try await work()
    }

    private func takenLock() async throws -> FileLock? {
        do { return try await onDisk(store.lock) } catch { throw failure(error) }
    }

    private func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: disk) { try work() }.value
    }

    private func failure(_ error: any Error) -> any Error {
        guard error is FileWriteError else { return error }
        // A full disk may have room later; the tokens wait until then.
        return UpstreamError(
            Failure(kind: .storage, message: "the tokens can't be kept: \(error)", retryable: true),
            advice: .signIn(.checkTokenFolder))
    }
}

extension Task where Failure == any Error {
    /// The task's value. If the caller is cancelled, throws at once, and the task goes on.
    fileprivate func valueUnlessCancelled() async throws -> Success {
        let (values, arrived) = AsyncThrowingStream.makeStream(of: Success.self)
        Task<Void, Never> {
            do {
                arrived.yield(try await value)
                arrived.finish()
            } catch { arrived.finish(throwing: error) }
        }
        for try await value in values { return value }
        throw Swift.CancellationError()
    }
}
