import Model
import Services
import Testing

@Suite("Names of secrets")
struct SecretNameTests {
    @Test(
        "Members and parameters are secret however their names are written",
        arguments: [
            "accessToken", "session_id", "Authorization", "cookie", "passwd", "pwd", "API-Key",
            "login.password",
            "the_access_token_of_a_service_with_a_long_name", "otp", "otp_code", "OTPCode", "totp", "ticket",
            "nonce", "pw", "user_pw", "pin", "userPIN", "csrf", "_csrf", "csrfmiddlewaretoken", "xsrf",
            "X-XSRF",
            "hash", "pwHash", "hmac", "sha_hmac", "license", "licence", "license_key", "passphrase",
            "PHPSESSID",
            "ASPSESSIONIDABC", "sessid", "connect.sid", "app_key", "userKey", "user-key", "appkey",
            "Ocp-Apim-Subscription-Key", "subscription-key", "private_key", "passcode", "oauth_verifier",
            "SAMLResponse", "client_assertion", "appid", "jsessionid", "auth", "tokens", "creds",
        ])
    func secret(name: String) throws {
        let body = #"{"\#(name)": "canary", "a": "?\#(name)=canary"}"#
        let kept = try kept(HTTPResponse(status: 200, body: Array(body.utf8)))
        #expect(
            String(decoding: kept.body, as: UTF8.self)
                == #"{"\#(name)": "redacted", "a": "?\#(name)=redacted"}"#)
    }

    @Test(
        "What the formats read is kept, and what only looks like a secret's name",
        arguments: [
            "uuid", "username", "name", "value", "seed", "nat", "postcode", "message", "error", "info",
            "results",
            "data", "fact", "length", "links", "label", "next_page_url", "current_page", "total", "picture",
            "thumbnail", "registered", "description", "street", "coordinates", "email", "page", "per_page",
            "id",
            "monkey", "whiskey", "turkeys", "keys", "keyword", "author", "authority", "passenger", "compass",
            "pinned", "spin", "hashtag", "announced", "position", "sidebar", "tickets", "inside", "monkeyed",
        ])
    func innocent(name: String) throws {
        let body = #"{"\#(name)": "kept", "a": "?\#(name)=kept"}"#
        let kept = try kept(HTTPResponse(status: 200, body: Array(body.utf8)))
        #expect(String(decoding: kept.body, as: UTF8.self) == body)
    }

    @Test("A key and a code are secrets in an address alone")
    func inAddresses() throws {
        for name in ["key", "code"] {
            let body = #"{"\#(name)": "kept", "a": "?\#(name)=canary"}"#
            let kept = try kept(HTTPResponse(status: 200, body: Array(body.utf8)))
            #expect(
                String(decoding: kept.body, as: UTF8.self)
                    == #"{"\#(name)": "kept", "a": "?\#(name)=redacted"}"#)
        }
    }

    @Test("Headers that are known to be harmless keep their value, and no others")
    func headers() throws {
        let harmless = [
            "ETag", "Retry-After", "Link", "Content-Type", "content-encoding", "Date", "Age", "Last-Modified",
            "If-None-Match", "If-Modified-Since", "Cache-Control", "Location", "Accept", "User-Agent", "Vary",
            "X-RateLimit-Remaining", "RateLimit-Limit", "RATELIMIT",
        ]
        let others = [
            "authorization", "Proxy-Authorization", "COOKIE", "Set-Cookie", "X-Api-Key", "X-Auth-Token",
            "X-My-Secret-Thing", "Some-Password", "WWW-Authenticate", "Authentication-Info",
            "X-Forwarded-For",
            "X-Anything", "Referer", "X-RateLimit-Token", "CF-Ray", "ETags",
        ]
        let headers = HTTPHeaders(fields: (others + harmless).map { .init(name: $0, value: "value") })
        let exchange = Redaction().redacted(
            Recording.Exchange(
                began: now, took: .zero, url: api, requestHeaders: headers,
                outcome: .answer(HTTPResponse(status: 200, headers: headers))))
        guard case .answer(let response) = exchange.outcome else { return #expect(Bool(false)) }
        for kept in [exchange.requestHeaders, response.headers] {
            #expect(kept.fields.map(\.name) == headers.fields.map(\.name))
            for name in others { #expect(kept[name] == "redacted", "\(name)") }
            for name in harmless { #expect(kept[name] == "value", "\(name)") }
        }
    }

    @Test("A token is taken out of headers that are harmless, and an address in one loses its secrets")
    func inHarmlessHeaders() throws {
        let headers: HTTPHeaders = [
            "ETag": "\"canary-token\"", "Location": "/canary-token/?pin=canary&page=2",
            "Link": "<https://me:canary@a.example/?token=canary>; rel=\"next\"",
        ]
        let kept = try kept(
            HTTPResponse(status: 302, headers: headers), headers: ["Authorization": "Bearer canary-token"])
        #expect(
            kept.headers.fields.sorted { $0.name < $1.name }.map(\.value) == [
                "\"redacted\"", "<https://redacted@a.example/?token=redacted>; rel=\"next\"",
                "/redacted/?pin=redacted&page=2",
            ])
    }
}
