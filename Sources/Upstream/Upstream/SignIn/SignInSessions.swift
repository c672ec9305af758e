import FoundationEssentials
import HTTP
import Model

/// Signs people in and out, one at a time.
actor SignInSessions {
    private let keeper: TokenKeeper
    private let environment: SignInEnvironment
    private var isBusy = false
    /// Takes the redirect that a person pastes.
    private var pasting: (expected: ExpectedRedirect, arrived: AsyncStream<RedirectAnswer>.Continuation)?

    /// Time for the person in the browser.
    static let patience = Duration.seconds(300)

    private var client: OAuthClient { keeper.client }
    private var http: ProviderHTTP { keeper.http }

    init(keeper: TokenKeeper, environment: SignInEnvironment) {
        (self.keeper, self.environment) = (keeper, environment)
    }

    func signIn(
        _ grant: SignInGrant, show: @escaping @Sendable (SignInPrompt) -> Void
    ) async throws -> Account {
        guard !isBusy else {
            throw UpstreamError(
                .credentials, "another sign-in is under way; end it, or wait until it has ended")
        }
        if grant == .device, client.identity.isBuiltIn {
            throw UpstreamError(
                .credentials,
                "the client id that comes with userd uses no device codes; one of your own may, in users.oauth.client_id",
                advice: .useBrowser)
        }
        isBusy = true
        defer { isBusy = false }
        try await keeper.requireWritable()
        let provider = try await client.provider(http)
        let tokens: SavedTokens
        do {
            tokens =
                switch grant {
                case .browser: try await tokensByBrowser(provider, show)
                case .device: try await tokensByDevice(provider, show)
                case .paste: try await tokensByPaste(provider, show)
                }
        } catch let refusal as OAuthRefusal {
            throw refusal.failure("the sign-in failed")
        }
        try await keeper.adopt(tokens)
        return keeper.account
    }

    private func tokensByBrowser(
        _ provider: Provider, _ show: @Sendable (SignInPrompt) -> Void
    ) async throws -> SavedTokens {
        var flow = CodeFlow(provider, environment)
        let listener = try await LoopbackListener.open(
            client.redirect, connectionLimit: environment.connectionLimit
        ) { [expected = flow.expected] in expected.answer(in: $0) }
        let answer: RedirectAnswer
        do {
            flow.redirect = client.redirect.address(port: listener.port)
            answer = try await self.answer(to: flow, show) { try await listener.answer() }
        } catch {
            await listener.close()
            throw error
        }
        await listener.close()
        return try await flow.tokens(for: answer, http)
    }

    private func tokensByPaste(
        _ provider: Provider, _ show: @Sendable (SignInPrompt) -> Void
    ) async throws -> SavedTokens {
        var flow = CodeFlow(provider, environment)
        // The browser shows that it can't connect there, and has the code in its address all the same.
        let port = client.redirect.port ?? 49_152 + Int(environment.randomBytes(1).first ?? 0)
        flow.redirect = client.redirect.address(port: port)
        let (answers, arrived) = AsyncStream.makeStream(of: RedirectAnswer.self)
        pasting = (flow.expected, arrived)
        defer { pasting = nil }
        let answer = try await answer(to: flow, show) {
            for await answer in answers { return answer }
            throw CancellationError()
        }
        return try await flow.tokens(for: answer, http)
    }

    /// Shows the address to open, and waits for the browser.
    private func answer(
        to flow: CodeFlow, _ show: (SignInPrompt) -> Void,
        _ arrival: @escaping @Sendable () async throws -> RedirectAnswer
    ) async throws -> RedirectAnswer {
        show(SignInPrompt(address: try flow.address().absoluteString, life: Self.patience))
        guard let answer = try await within(Self.patience, environment.sleep, arrival) else {
            throw UpstreamError(
                .credentials, "the browser did not come back within five minutes",
                advice: .pasteOrUseCode)
        }
        return answer
    }

    private func tokensByDevice(
        _ provider: Provider, _ show: @Sendable (SignInPrompt) -> Void
    ) async throws -> SavedTokens {
        let flow = DeviceFlow(provider: provider, environment: environment)
        let code = try await flow.begin(http)
        show(
            SignInPrompt(
                address: (code.wholeAddress ?? code.address).absoluteString, code: code.userCode,
                life: code.life))
        return try await flow.tokens(for: code, http)
    }

    func paste(_ address: String) throws {
        guard let pasting else {
            throw UpstreamError(
                .credentials, "no sign-in waits for an address", advice: .signInAgain)
        }
        pasting.arrived.yield(try pasting.expected.answer(pasted: address))
    }

    func signOut(keeping: Bool) async throws -> SignOut {
        let outcome = try await keeper.forget(keeping: keeping) { try await self.revoke($0) }
        do { return try outcome?.get() ?? .nobodyWasSignedIn } catch let refusal as OAuthRefusal {
            return .notRevoked(refusal.text)
        } catch let error as UpstreamError { return .notRevoked(error.failure.reason) }
    }

    /// Revoking the refresh token also ends the access token (RFC 7009, section 2.1).
    private func revoke(_ tokens: SavedTokens) async throws -> SignOut {
        guard client.owns(tokens.binding) else {
            let provider = (tokens.binding.issuer ?? tokens.binding.tokenEndpoint).shown(upTo: 200)
            throw UpstreamError(
                .credentials, "the settings have changed since the sign-in at \(provider)")
        }
        if tokens.refusal != nil { return .revoked }
        var endpoint =
            client.endpoints[.revocation] ?? tokens.revocationEndpoint.flatMap(URL.init(httpAddress:))
        if endpoint == nil { endpoint = try await client.provider(http).endpoints[.revocation] }
        guard let endpoint else { return .notRevoked("\(client.provider) offers no way to revoke tokens") }
        let hint = tokens.refreshToken == nil ? "access_token" : "refresh_token"
        let fields = [("token", tokens.refreshToken ?? tokens.accessToken), ("token_type_hint", hint)]
        do { _ = try await http.post(fields, to: endpoint, of: client) } catch let refusal as OAuthRefusal
            where refusal.isFromMissingEndpoint
        {
            guard client.endpoints[.revocation] == nil, let provider = try? await client.provider(http),
                let moved = provider.endpoints[.revocation], moved != endpoint
            else { throw refusal }
            _ = try await http.post(fields, to: moved, of: client)
        }
        return .revoked
    }
}
