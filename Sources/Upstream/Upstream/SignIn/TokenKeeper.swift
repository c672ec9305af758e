import FoundationEssentials
import HTTP
import Model
import Platform
import Synchronization

/// Keeps the tokens of the person who has signed in, and renews them.
///
/// A renewal that has begun goes on if its callers give up, or if the settings change: the provider may already have
/// replaced the refresh token, and its successor must reach the disk. One runs at a time, here by the task that all
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
    /// What could not be written is used only once it is.
    private let unsaved: UnsavedTokens
    private var renewal: Task<SavedTokens, any Error>?

    /// Reads the tokens, so it blocks for a moment.
    init(
        _ client: OAuthClient, _ http: ProviderHTTP, _ store: TokenStore, _ unsaved: UnsavedTokens,
        _ environment: SignInEnvironment
    ) {
        (self.client, self.http, self.store, self.environment) = (client, http, store, environment)
        self.unsaved = unsaved
        let saved = (try? store.read()).flatMap { client.owns($0.binding) ? $0 : nil }
        for secret in saved?.secrets ?? [] { http.redactor.learn(secret) }
        held = saved
        published = Mutex(client.account(of: saved))
    }

    /// The account, as far as this process knows.
    nonisolated var account: Account { published.withLock { $0 } }

    /// Whether nobody is signed in, by what is on the disk now: another userd may have signed in.
    func isSignedOut() async -> Bool {
        guard let saved = try? await onDisk(store.read), client.owns(saved.binding) else { return true }
        return saved.refusal != nil
    }

    /// - Parameter refused: the one that upstream has refused.
    func token(refused: String?) async throws -> String {
        if let held, held.isFresh(refused, now: environment.now()) { return held.accessToken }
        let running = renewal ?? beginRenewal(refused)
        return try await running.valueUnlessCancelled().accessToken
    }

    private func beginRenewal(_ refused: String?) -> Task<SavedTokens, any Error> {
        let task = unsaved.renewal { try await self.renew(refused) }
        renewal = task
        return task
    }

    private func renew(_ refused: String?) async throws -> SavedTokens {
        defer { renewal = nil }
        return try await locked { try await renewed(refused) }
    }

    // MARK: - Changes, while the lock is held

    private func renewed(_ refused: String?) async throws -> SavedTokens {
        try await writeUnsaved()
        let saved = try await saved()
        if saved.isFresh(refused, now: environment.now()) { return saved }
        do { return try await refreshed(saved) } catch let refusal as OAuthRefusal {
            // Somebody without this lock may have been faster: a copy of the folder, an older userd.
            let again = refusal.endsSignIn ? try await self.saved() : saved
            guard again.refreshToken != saved.refreshToken else { throw await failure(saved, refusal) }
            if again.isFresh(refused, now: environment.now()) { return again }
            do { return try await refreshed(again) } catch let refusal as OAuthRefusal {
                throw await failure(again, refusal)
            }
        }
    }

    /// The tokens on the disk. Throws if nobody is signed in.
    private func saved() async throws -> SavedTokens {
        guard let saved = try await onDisk(store.read), client.owns(saved.binding) else {
            publish(nil)
            throw UpstreamError(
                .credentials, "nobody is signed in at \(client.provider)", advice: .signIn)
        }
        publish(saved)
        if let refusal = saved.refusal {
            throw UpstreamError(.credentials, refusal, advice: .signIn)
        }
        return saved
    }

    private func refreshed(_ saved: SavedTokens) async throws -> SavedTokens {
        guard let token = saved.refreshToken, let url = URL(httpAddress: saved.binding.tokenEndpoint) else {
            throw UpstreamError(
                .credentials, "the sign-in at \(client.provider) has ended, and it gave no refresh token",
                advice: .askForOfflineAccess)
        }
        // The refresh token may be spent by the request, so its successor must have a place.
        try await onDisk { [store] in try store.write(saved) }
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
        // Without it, some providers give back less.
        let scope = saved.scope(of: client.scope).map { [("scope", $0)] } ?? []
        var tokens = saved
        let answer: TokenAnswer
        do {
            answer = try await self.answer(to: fields + scope, at: url)
        } catch let refusal as OAuthRefusal where refusal.code == "invalid_scope" && !scope.isEmpty {
            // What was granted (RFC 6749, section 6).
            answer = try await self.answer(to: fields, at: url)
        } catch let refusal as OAuthRefusal where refusal.isFromMissingEndpoint {
            guard client.endpoints[.token] == nil, let provider = try? await client.provider(http),
                let moved = provider.endpoints[.token], moved != url
            else { throw refusal }
            tokens.binding.tokenEndpoint = moved.absoluteString
            tokens.revocationEndpoint = provider.endpoints[.revocation]?.absoluteString
            answer = try await self.answer(to: fields + scope, at: moved)
        }
        tokens = tokens.refreshed(by: answer)
        try await write(tokens, replacing: saved)
        return tokens
    }

    private func answer(to fields: [(String, String)], at url: URL) async throws -> TokenAnswer {
        do {
            return try await http.tokens(fields, at: url, of: client)
        } catch let error as UpstreamError where [.offline, .timeout].contains(error.failure.kind) {
            // If only the answer was lost, the provider takes the old token for a few seconds more.
            return try await http.tokens(fields, at: url, of: client)
        }
    }

    /// The failure of a renewal that was refused. If the refresh token is over, also remembers that across restarts.
    private func failure(_ saved: SavedTokens, _ refusal: OAuthRefusal) async -> UpstreamError {
        var tokens = saved
        tokens.count(refusal, at: environment.now(), interval: client.interval)
        let hasEnded = refusal.endsSignIn || tokens.isRefusedForGood
        var failure = refusal.failure(hasEnded ? "the sign-in has ended" : "userd gets no new token")
        if hasEnded {
            tokens.refusal = failure.failure.reason
            failure.failure.advice = Advice(.signIn)
        }
        // If it can't be written now, the next renewal does that first.
        if tokens != saved { try? await write(tokens, replacing: saved) }
        return failure
    }

    private func write(_ tokens: SavedTokens, replacing old: SavedTokens?) async throws {
        unsaved.keep(tokens, replacing: old, in: store)
        try await writeUnsaved()
        publish(tokens)
    }

    private func writeUnsaved() async throws {
        try await onDisk { [unsaved, store] in try unsaved.write(to: store) }
    }

    private func publish(_ tokens: SavedTokens?) {
        for secret in tokens?.secrets ?? [] { http.redactor.learn(secret) }
        held = tokens
        published.withLock { $0 = client.account(of: tokens) }
    }

    // MARK: - Signing in and out

    /// Checks that tokens could be written, before a person goes to the provider.
    func requireWritable() async throws { try await locked {} }

    func adopt(_ tokens: SavedTokens) async throws {
        try await Task { try await locked { try await write(tokens, replacing: nil) } }.value
    }

    /// - Parameter keeping: removes them only once they are revoked.
    /// - Returns: nil if there were none.
    func forget(
        keeping: Bool, revoke: @Sendable (SavedTokens) async throws -> SignOut
    ) async throws -> Result<SignOut, any Error>? {
        try await locked {
            let saved = try await onDisk { [unsaved, store] in
                try unsaved.newest(in: store) ?? store.read()
            }
            if !keeping || saved == nil { try await remove() }
            guard let saved else { return nil }
            let outcome: SignOut
            do { outcome = try await revoke(saved) } catch { return .failure(error) }
            if keeping { try await remove() }
            return .success(outcome)
        }
    }

    private func remove() async throws {
        try await onDisk(store.remove)
        unsaved.forget(store)
        publish(nil)
    }

    // MARK: - Disk

    /// Longer than two requests take.
    private static let patience = Duration.seconds(150)

    private func locked<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
        let end = environment.monotonic() + Self.patience
        var lock = try await onDisk(store.lock)
        while lock == nil {
            guard environment.monotonic() < end else {
                throw UpstreamError(
                    Failure(
                        kind: .credentials, message: "another program does not let go of \(store.path).lock",
                        retryable: true))
            }
            try await environment.sleep(.milliseconds(50))
            lock = try await onDisk(store.lock)
        }
        defer { withExtendedLifetime(lock) {} }
        return try await work()
    }

    private func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await Task(executorPreference: disk) { try work() }.value
        } catch let error as FileWriteError {
            // A full disk may have room later; the tokens wait until then.
            throw UpstreamError(
                Failure(
                    kind: .storage, message: "the tokens can't be kept: \(error)", retryable: true,
                    advice: Advice(.checkTokenFolder)))
        }
    }
}
