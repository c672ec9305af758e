import FoundationEssentials
import NIOHTTP1
import Synchronization

/// Who may read the directories: bearer tokens, and the endpoint that issues them for client credentials (RFC 6749,
/// section 4.4).
final class DirectoryTokens: Sendable {
    private struct State {
        var settings: DemoUpstream.DirectorySettings
        /// When each ends.
        var issued: [String: ContinuousClock.Instant] = [:]
        var count = 0
    }

    private let state: Mutex<State>
    private let random: @Sendable () -> UInt64
    private let now: @Sendable () -> ContinuousClock.Instant

    init(_ configuration: DemoUpstream.Configuration) {
        state = Mutex(State(settings: configuration.directory))
        random = configuration.random
        now = configuration.now
    }

    var settings: DemoUpstream.DirectorySettings { state.withLock { $0.settings } }

    func set(_ settings: DemoUpstream.DirectorySettings) throws(ControlError) {
        try settings.validate()
        state.withLock { $0.settings = settings }
    }

    /// Ends all issued tokens; returns how many there were.
    func revoke() -> Int {
        state.withLock { state in
            defer { state.issued = [:] }
            return state.issued.count
        }
    }

    func allows(_ request: Request) -> Bool {
        let parts = request.authorization
        return state.withLock { state in
            guard let required = state.settings.token else { return true }
            // SSWS is Okta's.
            guard let parts, ["bearer", "ssws"].contains(parts.scheme) else { return false }
            return parts.value == required || state.issued[parts.value].map { now() < $0 } ?? false
        }
    }

    func reply(to request: Request) -> Reply {
        guard request.method == .POST else { return Reply(.methodNotAllowed, ["allow": "POST"]) }
        let settings = self.settings
        guard request.clientCredentials == [settings.clientID, settings.clientSecret] else {
            var reply = Reply(.unauthorized, .json, Body(#"{"error":"invalid_client"}"#))
            reply.headers.add(name: "www-authenticate", value: #"Basic realm="demo""#)
            return reply
        }
        guard request.form["grant_type"] == "client_credentials" else {
            return Reply(.badRequest, .json, Body(#"{"error":"unsupported_grant_type"}"#))
        }
        let token = issue(for: settings.expiresIn)
        let lifetime = settings.expiresIn == 0 ? "" : #","expires_in":\#(settings.expiresIn)"#
        return Reply(
            .ok, ["content-type": "application/json", "cache-control": "no-store"],
            Body(#"{"access_token":"\#(token)","token_type":"Bearer"\#(lifetime)}"#))
    }

    private func issue(for seconds: Int) -> String {
        let now = self.now()
        let secret = String(random(), radix: 36)
        return state.withLock { state in
            state.issued = state.issued.filter { now < $0.value }
            state.count += 1
            let token = "issued-\(state.count)-\(secret)"
            state.issued[token] = now + .seconds(seconds == 0 ? 1_000_000_000 : seconds)
            return token
        }
    }
}

extension Request {
    fileprivate var authorization: (scheme: String, value: String)? {
        let parts = headers.first(name: "authorization")?.split(separator: " ", maxSplits: 1)
        guard let parts, parts.count == 2 else { return nil }
        return (parts[0].lowercased(), String(parts[1]))
    }

    /// Id and secret, by HTTP Basic, where each is form-encoded first (section 2.3.1), or in the body.
    fileprivate var clientCredentials: [String]? {
        if let (scheme, value) = authorization {
            guard scheme == "basic", let pair = Data(base64Encoded: value) else { return nil }
            return String(decoding: pair, as: UTF8.self).split(separator: ":", maxSplits: 1).map(Self.decoded)
        }
        let form = self.form
        return [form["client_id"] ?? "", form["client_secret"] ?? ""]
    }
}
