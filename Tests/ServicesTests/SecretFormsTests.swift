import Model
import Services
import StrictJSON
import Testing

/// What is said to be a secret beside it, in text of any kind, though nobody has seen it before.
@Suite("Secrets beside their names")
struct SecretFormsTests {
    private func kept(_ body: String) throws -> String {
        let answer = HTTPResponse(status: 401, body: Array(body.utf8))
        return String(decoding: try ServicesTests.kept(answer).body, as: UTF8.self)
    }

    /// The canary is a plain word where it need not look like a secret, and a random one where it has to.
    private static let word = "canary"
    private static let random = "c4nary-K7x"

    private static let text = [
        "pw: canary", "Password : canary, please", "the password is: canary", "user_pw=canary", "pw = canary",
        "pw\t=\tcanary", "db.password: canary", "password: 'canary'", #"password: "canary""#,
        "'password': 'canary'",
        "`password`: canary", "password => canary", "secret==canary", "token='canary'", #"token="canary""#,
        "password: c:a/n&a=r+y;canary", "pw:canary", "password: {'a': 'canary'}", "tokens: [canary, canary]",
        "password: correct", "x-api-key: canary", "Authorization: Bearer canary",
        "Authorization: Digest a=canary, b=canary",
        "Cookie: a=canary; b=canary", "Set-Cookie: a=b canary", "proxy_password: canary\r\nnext",
        "auth: Basic canary", "session: Bearer canary canary", "name: password, value: canary",
    ]
    private static let headers = [
        #"Cookie: a="canary"; b="canary""#, #"Set-Cookie: x="canary"; Path=/"#,
        #"Authorization: Token token="canary""#,
        #"Authorization: Digest a="b", cnonce="canary", response="canary""#, "HTTP_COOKIE = a=b; c=canary",
        "[HTTP_COOKIE] => a=b; c=canary", "curl --cookie 'a=b; c=canary'", "('cookie', 'x=canary')",
        "{Authorization=Bearer canary, a=b}", "Authorization: canary",
    ]
    private static let ofTwoWords = [
        "API key: canary", "Invalid API key provided: canary", "Unknown API key c4nary-K7x.",
        "Session ID: canary",
        "your API key (c4nary-K7x-22)", "a session token xKcanarYQwErTzUiOpAs",
        "private key c4nary-K7x-22", "Passwort: canary", "The API key 'c4nary-K7x-22' is bad",
        "Access code: canary",
        "verification code is 482913", "OTP is 482913", "--password canary", #"password "canary""#,
        "password `canary`",
        "{:password=>\"canary\"}", "password=>canary", "define('DB_PASSWORD', 'canary')",
        "['X-Api-Key', 'c4nary-K7x-22']",
        "{\"device_code\": \"canary\"}", "?recovery_codes=canary",
    ]
    private static let known = [
        "eyJhbGciOiJIUzI1NiJ9.eyJc4nary-K7xI6.c4nary-K7x", "see ghp_0c4nary-K7x0123456789",
        "a sk_live_c4nary-K7x0123456, b",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIc4nary-K7x\ncanary=\n-----END RSA PRIVATE KEY-----",
    ]
    private static let afterBlanks = [
        "password c4nary-K7x", "the token is c4nary-K7x, and", "set password to c4nary-K7x",
        "Bearer c4nary-K7x",
        "Basic c4nary-K7x=", "token 'c4nary-K7x'", "token (c4nary-K7x)", "a secret of c4nary-K7x",
    ]
    private static let markup = [
        "<password>canary</password>", "<ns:Password a='b'>canary</ns:Password>", "<token>canary",
        "<token><![CDATA[canary]]></token>", "<auth><a>canary</a><b>canary</b></auth>",
        "<SecretKey>\n  canary\n</secretkey>", "<a password='canary'/>", #"<a pw="canary">"#,
        #"<input type="password" value="canary">"#, #"<input value='canary' name='user_password'/>"#,
        #"<input type=password value=canary>"#, #"<meta name="csrf-token" content="canary">"#,
        #"<add key="ApiToken" value="canary" />"#, #"<token value="canary"/>"#,
        "<br/>token: canary", "<td>sessionid</td><td class='a'><pre>canary</pre>",
        "<th>X-Api-Key</th> <th>canary",
        "<b>Password:</b> canary", "<td>Session ID</td><td>canary</td>",
        "<key>password</key><string>canary</string>",
        #"<property name="password">canary</property>"#, #"<entry key="api_key">canary</entry>"#,
        "&lt;password&gt;canary&lt;/password&gt;", "%3Cpassword%3Ecanary%3C/password%3E",
    ]
    private static let pairs = [
        #"{"name": "password", "value": "canary"}"#,
        #"{"value": "canary", "in": "body", "key": "api_token"}"#,
        #"{"field":"password","rejectedValue":"canary","message":"no"}"#, #"{"id": "otp", "value": 4077}"#,
        #"{"type": "token", "value": {"a": ["canary"]}}"#, #"["Authorization", "Bearer canary"]"#,
        #"[["a","b"],["Cookie","canary"]]"#, #"["x-api-key" , "canary", "b"]"#, #"{"password"=>"canary"}"#,
        #"{"loc": ["body", "password"], "input": "canary"}"#,
        #"{"loc":["header","x-api-key"],"input":"canary"}"#,
        #"{"instancePath": "/user/password", "value": "canary"}"#,
        #"{"field":["password"],"value":"canary"}"#,
        #"name=password&value=canary&a=b"#, #"{'key': 'token', 'value': 'canary'}"#,
    ]
    private static let addresses = [
        "/session/3f2b9d10-c4a1-4b7e-9d10-c4a14b7e9d10",
        "/token/c4nary-K7x-22/users", "https://a.example/reset/session/c4nary-K7x-22?a=b",
        #"\/auth\/c4nary-K7x-22"#,
    ]

    @Test(
        "They are taken out, whatever the text is written in",
        arguments: text + headers + ofTwoWords + known + afterBlanks + markup + pairs + addresses)
    func forms(text: String) throws {
        for layers in 0..<3 {
            var (body, layer) = (text, 0)
            while layer < layers {
                body = String(decoding: try StrictJSON.encode(["error": body]), as: UTF8.self)
                layer += 1
            }
            let kept = try kept(body)
            for canary in [Self.word, Self.random, "4077", "correct", "482913", "3f2b", "canarY"] {
                #expect(!kept.contains(canary), "\(kept)")
            }
            #expect(kept.contains("redacted"))
            #expect(
                layers == 0 || (try? StrictJSON.validate(Array(kept.utf8), maximumDepth: 8)) != nil, "\(kept)"
            )
        }
    }

    @Test(
        "What only looks like one stays",
        arguments: [
            "invalid token: expired", "password: missing", "the token: 7", "a token of love",
            "no password given",
            #"{"a": "the password:", "b": "kept"}"#, #"{"a": "token=", "b": "kept"}"#,
            #"{"a":"token=\"","b":"kept"}"#,
            "http://auth:8080/users", "cannot read /etc/users.token: Permission denied",
            "https://token.example:8080/users", "/auth/users/12345",
            "/session/2024",
            #"{"name": "SSN", "value": "405-88-3636"}"#, #"{"id": {"name": "SID", "value": "12345678"}}"#,
            #"{"name": "token", "a": {"value": "kept"}}"#, #"{"name": "Mac", "last": "kept"}"#,
            #"["email", "kept"]"#, #"{"first": "Token", "last": "kept"}"#, #"["a", "token"]"#,
            #"{"type":"password","message":"kept"}"#, "<user>kept</user>", "<input name='a' value='kept'>",
            "a < password and b > kept", "the salt of the earth", "12:30:45",
            #"{"message":"Unexpected token: {","status":400}"#, #"{"a":"token: [","b":[1]}"#,
            #"{"a":"the <token> tag","b":"kept","c":"</token>"}"#, #"{"m":"token\": 1"}"#,
            "access token: signature is bad", "auth: connection to a.example lost",
            "Authorization: scope users:read missing",
            "auth-service:8080 timed out", "ticket INC-4711 was opened",
            "JWT::DecodeError: not enough segments",
            "Optional<Token>.get() is null", #"{"type":"token_expired","value":"kept"}"#,
            "A cat named Cookie: she slept",
            #"{"last": "Basic Smith101"}"#, "unexpected token '<'", "Missing key: name", "error code: 500",
            "zip code is 12345",
            "/auth/oauth2callback", "/api/auth/v2-users-by-country",
            #"{"id":{"name":"PIN","value":"12345678"}}"#,
            "<h1>A cat</h1><p>kept</p>", "token InvalidTokenExceptionHandler",
            "a session continues_from_here", "eyJust a word", "sk-and-other-words-here",
            #"{"required": "token", "value": "kept"}"#, "name=a&value=kept",
        ])
    func innocent(text: String) throws {
        #expect(try kept(text) == text)
    }

    @Test("A long one is taken out whole, and one that is almost a word of messages")
    func whole() throws {
        let long = String(repeating: "c4nary-K7x", count: 60)
        for text in ["Bearer \(long)", "token \(long)", "/session/\(long)/users", "token: \(long)"] {
            let shown = text.replacing(long, with: "redacted")
            #expect(try kept(text) == shown)
            #expect(try kept("\(long) and \(text)") == "redacted and \(shown)")
        }
        #expect(try kept("password: Expected1!") == "password: redacted")
        #expect(try kept("password: Expected!") == "password: Expected!")
    }

    @Test("A backslash at the end of one is none of the text around it")
    func backslashes() throws {
        #expect(try kept(#"{"m":"password=\"a\\","b":1}"#) == #"{"m":"password=\"redacted","b":1}"#)
    }

    @Test("What stands beside a name is found elsewhere, in the answer and in those after it")
    func elsewhere() throws {
        let secret = "Canary-of-the-passw0rd"
        let body = #"{"echo": "\#(secret)", "password": "\#(secret)", "more": "\#(secret.uppercased())"}"#
        #expect(try kept(body) == #"{"echo": "redacted", "password": "redacted", "more": "redacted"}"#)
        let salts =
            #"{"echo": "Canary-of-the-5alt", "salt": "Canary-of-the-5alt", "b": "sunflower", "pw": "sunflower"}"#
        let pairs = [
            ("token: Abc123def456, echo Abc123def456.", "token: redacted echo redacted."),
            (
                #"{"Authorization":"Bearer Abc123def456","echo":"Abc123def456"}"#,
                #"{"Authorization":"redacted","echo":"redacted"}"#
            ),
            (
                #"{"session":{"city":"Springfield","at":"2026-11-22T08:00:00Z"},"b":"Springfield","c":"2026-11-22T08:00:00Z"}"#,
                #"{"session":"redacted","b":"Springfield","c":"2026-11-22T08:00:00Z"}"#
            ),
            (
                #"{"sso":"ann.smith01@example.com","email":"ann.smith01@example.com"}"#,
                #"{"sso":"redacted","email":"ann.smith01@example.com"}"#
            ),
        ]
        for (body, shown) in pairs { #expect(try kept(body) == shown) }
        #expect(
            try kept(salts)
                == #"{"echo": "Canary-of-the-5alt", "salt": "redacted", "b": "sunflower", "pw": "redacted"}"#)
    }
}
