import CCrypto
import Foundation
import HTTP
import Model
import StrictJSON
import Synchronization
import TestSupport

/// A provider on loopback: code, device and refresh grants, rotation with reuse detection, revocation. It
/// answers as the specifications say, except where a test tells it otherwise.
final class OAuthServer: Sendable {
    struct Request: Sendable {
        var path: String
        var fields: [String: String]
        var authorization: String?
    }

    /// What a test puts in place of the next answers of an endpoint.
    enum Answer: Sendable {
        case status(Int, String)
        /// The request is carried out; the connection ends without an answer.
        case lost
        /// The request is carried out.
        case asUsual
        /// The usual answer, once this has run.
        case after(@Sendable () -> Void)
    }

    struct Contents: Sendable {
        var requests: [Request] = []
        var scripted: [String: [Answer]] = [:]
        /// The challenge, the redirect and the nonce of each code.
        var codes: [String: (challenge: String, redirect: String, nonce: String?)] = [:]
        var refreshTokens: Set<String> = []
        var replaced: Set<String> = []
        var accessTokens: Set<String> = []
        var issued = 0
        /// The lifetime of access tokens, in seconds; nil is not told.
        var life: Double? = 3600
        var rotates = true
        var givesRefreshTokens = true
        /// Changes the claims of ID tokens.
        var claims: [String: String] = [:]
        var document: [String: String] = [:]
        /// The granted scope, which answers name.
        var scope: String?
    }

    let contents = Mutex(Contents())
    private let server = Mutex<RawServer?>(nil)
    let issuer: String

    /// - Parameter path: of the issuer.
    init(path: String = "") throws {
        let receiver = Receiver()
        let server = try RawServer { connection in
            let (head, body) = connection.readRequest()
            guard let answer = receiver.server.withLock({ $0.value })?.answer(head, body) else { return }
            connection.send(answer)
        }
        issuer = "http://127.0.0.1:\(server.port)\(path)"
        self.server.withLock { $0 = server }
        receiver.server.withLock { $0.value = self }
    }

    /// Breaks the cycle between the server and its answers.
    private final class Receiver: Sendable {
        struct Reference { weak var value: OAuthServer? }
        let server = Mutex(Reference())
    }

    func script(_ path: String, _ answers: Answer...) {
        contents.withLock { $0.scripted[path, default: []] += answers }
    }

    func stop() { server.withLock { $0?.stop() } }

    var requests: [Request] { contents.withLock { $0.requests } }

    func requests(_ path: String) -> [Request] { requests.filter { $0.path == path } }

    /// The refreshes, by their tokens.
    var refreshes: [String] {
        requests("/token").filter { $0.fields["grant_type"] == "refresh_token" }
            .map { $0.fields["refresh_token"] ?? "" }
    }

    // MARK: - The browser

    /// What a person who says yes makes of the address: where the browser is sent.
    func approve(_ address: String) -> String {
        let asked = fields(URLComponents(string: address)?.percentEncodedQuery ?? "")
        let code = contents.withLock { contents in
            contents.issued += 1
            let code = "code-canary-\(contents.issued)"
            contents.codes[code] = (
                asked["code_challenge"] ?? "", asked["redirect_uri"] ?? "", asked["nonce"]
            )
            return code
        }
        return "\(asked["redirect_uri"] ?? "")?code=\(code)&state=\(asked["state"] ?? "")"
    }

    // MARK: - Answers

    private func answer(_ head: String, _ body: String) -> String? {
        let target = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let path = String(target.prefix { $0 != "?" })
        let authorization = head.firstMatch(of: /(?i)\r\nauthorization: *([^\r]*)/).map {
            String($0.output.1)
        }
        let request = Request(path: path, fields: fields(body), authorization: authorization)
        contents.withLock { $0.requests.append(request) }
        switch scripted(path) {
        case .status(let status, let body): return response(status, body)
        case .lost:
            _ = contents.withLock { usual(request, &$0) }
            return nil
        case .after(let run):
            run()
            fallthrough
        case .asUsual:
            let (status, body) = contents.withLock { usual(request, &$0) }
            return response(status, body)
        }
    }

    private func scripted(_ path: String) -> Answer {
        contents.withLock { contents in
            guard let next = contents.scripted[path]?.first else { return .asUsual }
            contents.scripted[path]?.removeFirst()
            return next
        }
    }

    private func response(_ status: Int, _ body: String) -> String {
        """
        HTTP/1.1 \(status) Whatever\r
        Content-Type: application/json\r
        Content-Length: \(body.utf8.count)\r
        Connection: close\r
        \r
        \(body)
        """
    }

    private func usual(_ request: Request, _ contents: inout Contents) -> (Int, String) {
        switch request.path {
        case _ where request.path.contains("/.well-known/"):
            guard request.path == documentPath else { return (404, "no document") }
            return (200, document(contents))
        case "/token", "/moved/token": return token(request.fields, &contents)
        case "/device":
            return (
                200,
                """
                {"device_code": "device-canary", "user_code": "WDJB-MJHT", "expires_in": 60, "interval": 5,
                "verification_uri": "\(issuer)/enter"}
                """
            )
        case "/revoke", "/moved/revoke":
            contents.refreshTokens.remove(request.fields["token"] ?? "")
            return (200, "")
        default: return (404, "nothing here")
        }
    }

    private var documentPath: String {
        (URLComponents(string: issuer)?.path ?? "") + "/.well-known/openid-configuration"
    }

    private func document(_ contents: Contents) -> String {
        let base = originText(issuer)
        let members = [
            "issuer": issuer, "authorization_endpoint": "\(base)/authorize?tenant=a",
            "token_endpoint": "\(base)/token", "device_authorization_endpoint": "\(base)/device",
            "revocation_endpoint": "\(base)/revoke",
        ].merging(contents.document) { $1 }.filter { !$0.value.isEmpty }
        return "{"
            + members.map { "\"\($0)\": \($1.hasPrefix("[") ? $1 : "\"\($1)\"")" }
            .joined(separator: ", ") + "}"
    }

    private func token(_ fields: [String: String], _ contents: inout Contents) -> (Int, String) {
        let refused = (400, #"{"error": "invalid_grant", "error_description": "not valid"}"#)
        switch fields["grant_type"] {
        case "authorization_code":
            guard let code = contents.codes.removeValue(forKey: fields["code"] ?? ""),
                code.redirect == fields["redirect_uri"],
                code.challenge == challenge(of: fields["code_verifier"] ?? "")
            else { return refused }
            return (200, granted(&contents, nonce: code.nonce, replacing: nil))
        case "refresh_token":
            let old = fields["refresh_token"] ?? ""
            if contents.replaced.contains(old) {
                // A replay ends the whole family.
                contents.refreshTokens = []
                return refused
            }
            guard contents.refreshTokens.contains(old) else { return refused }
            return (200, granted(&contents, nonce: nil, replacing: old))
        case "urn:ietf:params:oauth:grant-type:device_code":
            guard fields["device_code"] == "device-canary" else { return refused }
            return (200, granted(&contents, nonce: nil, replacing: nil))
        default: return (400, #"{"error": "unsupported_grant_type"}"#)
        }
    }

    private func granted(_ contents: inout Contents, nonce: String?, replacing old: String?) -> String {
        contents.issued += 1
        let number = contents.issued
        var members = ["\"access_token\": \"access-canary-\(number)\"", "\"token_type\": \"Bearer\""]
        contents.accessTokens.insert("access-canary-\(number)")
        if let scope = contents.scope { members.append("\"scope\": \"\(scope)\"") }
        if let life = contents.life { members.append("\"expires_in\": \(life)") }
        if contents.givesRefreshTokens, old == nil || contents.rotates {
            if let old {
                contents.refreshTokens.remove(old)
                contents.replaced.insert(old)
            }
            contents.refreshTokens.insert("refresh-canary-\(number)")
            members.append("\"refresh_token\": \"refresh-canary-\(number)\"")
        }
        if let nonce {
            let claims = [
                "iss": "\"\(issuer)\"", "aud": "\"userd-client\"", "exp": "4102444800", "sub": "\"7\"",
                "nonce": "\"\(nonce)\"", "preferred_username": "\"ann@example.org\"",
            ].merging(contents.claims) { $1 }
            let payload = "{" + claims.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
            members.append("\"id_token\": \"\(base64URL("{}")).\(base64URL(payload)).c2ln\"")
        }
        return "{" + members.joined(separator: ", ") + "}"
    }
}

/// The scheme, host and port of an address.
private func originText(_ address: String) -> String {
    let parts = URLComponents(string: address)
    return "http://\(parts?.host ?? ""):\(parts?.port ?? 0)"
}

func fields(_ text: String) -> [String: String] {
    let pairs = text.split(separator: "&").map { field in
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            $0.replacing("+", with: " ").removingPercentEncoding ?? ""
        }
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
    return Dictionary(pairs) { first, _ in first }
}

private func base64URL(_ text: String) -> String { base64URL(Data(text.utf8)) }

private func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

private func challenge(of verifier: String) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    sha256(verifier, verifier.utf8.count, &digest)
    return base64URL(Data(digest))
}
