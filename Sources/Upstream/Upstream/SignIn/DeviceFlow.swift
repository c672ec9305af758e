import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// One sign-in by a code that the person enters in a browser anywhere (RFC 8628).
struct DeviceFlow: Sendable {
    let provider: Provider
    let environment: SignInEnvironment

    /// What the person gets.
    struct Code: Sendable {
        let address: URL
        /// With the code in it; nil if the provider gives none.
        let wholeAddress: URL?
        let userCode: String
        fileprivate let deviceCode: String
        fileprivate let interval: Duration
        let life: Duration
    }

    /// Codes that live longer are given up by then.
    private static let longest = Duration.seconds(1800)
    /// RFC 8628, section 3.2.
    private static let usualInterval = Duration.seconds(5)

    func begin(_ http: ProviderHTTP) async throws -> Code {
        let endpoint = try provider.endpoint(.device)
        // Before anybody enters a code.
        _ = try provider.endpoint(.token)
        let fields = [("scope", provider.client.scope)].compactMap { name, value in value.map { (name, $0) } }
        let json = try await http.post(fields, to: endpoint, of: provider.client).json
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { json?[$0]?.string }.first { !$0.isEmpty }
        }
        func seconds(_ name: String) -> Duration? {
            json?.lifetime(name).map { .milliseconds(Int64(min($0, 86_400) * 1000)) }
        }
        // Google says verification_url.
        guard let device = text("device_code"), let user = text("user_code"),
            let address = text("verification_uri", "verification_url").flatMap({ URL(httpAddress: $0) }),
            address.keepsSecrets
        else {
            throw UpstreamError(.decode, "the answer of \(endpoint.shown) has no code for a person")
        }
        http.redactor.learn(device)
        let whole = text("verification_uri_complete").flatMap { URL(httpAddress: $0) }
        return Code(
            address: address, wholeAddress: whole.flatMap { $0.keepsSecrets ? $0 : nil }, userCode: user,
            deviceCode: device, interval: seconds("interval") ?? Self.usualInterval,
            life: min(seconds("expires_in") ?? .seconds(600), Self.longest))
    }

    /// Asks until the person has answered, or the code has ended.
    func tokens(for code: Code, _ http: ProviderHTTP) async throws -> SavedTokens {
        let endpoint = try provider.endpoint(.token)
        let end = environment.monotonic() + code.life
        // Less than a second is no interval to ask in.
        var interval = code.interval < .seconds(1) ? Self.usualInterval : code.interval
        while environment.monotonic() + interval < end {
            try await environment.sleep(interval)
            do {
                let answer = try await http.tokens(
                    [
                        ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
                        ("device_code", code.deviceCode),
                    ], at: endpoint, of: provider.client)
                return try provider.granted(answer, now: http.now())
            } catch let refusal as OAuthRefusal {
                switch refusal.code {
                case "authorization_pending": break
                case "slow_down": interval += .seconds(5)
                default: throw refusal
                }
            } catch let error as UpstreamError where error.failure.retryable {
                // Section 3.5: without an answer, ask less often.
                interval = min(max(interval * 2, error.retryAfter ?? .zero), .seconds(60))
            }
        }
        // Not every provider says so.
        throw OAuthRefusal(url: endpoint, code: "expired_token", words: "")
    }
}
