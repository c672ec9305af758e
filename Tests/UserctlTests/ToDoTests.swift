import MockDaemon
import Model
import TerminalViews
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

private let own = "file /home/a/.config/userd/config.yaml:2"
private let machine = "file /etc/xdg/userd/config.yaml:3"

private func failure(_ kind: Failure.Kind = .http, _ status: Int? = nil, _ advice: Advice.Kind? = nil)
    -> Failure
{
    Failure(
        kind: kind, message: "no", retryable: false, httpStatus: status, advice: advice.map { Advice($0) })
}

private func settings(_ url: String, _ others: [(name: String, value: String, origin: String)])
    -> [SettingValue]
{
    [SettingValue(name: "users.url", value: "https://idp.example.org/scim/v2", origin: url)]
        + others.map { SettingValue(name: $0.name, value: $0.value, origin: $0.origin) }
}

private func toDo(_ failure: Failure, _ settings: [SettingValue], of resource: Model.Resource = .users)
    -> String?
{
    settings.toDo(state(resource, .error, nextSyncAt: noon, failure: failure))
}

@Suite struct ToDoTests {
    private static let token = ("users.token_file", "/home/a/.config/userd/users-token", "default")
    private static let issuer = ("users.oauth.issuer", "https://login.example.org", own)

    @Test(
        arguments: [
            (
                failure(.http, 401), settings(own, [token]),
                "put a new token into /home/a/.config/userd/users-token (users.token_file): userd tries it within seconds; or `userctl connect https://idp.example.org/scim/v2` asks for it"
            ),
            (
                failure(.http, 403), settings(own, [token]),
                "put a token that may read users into /home/a/.config/userd/users-token (users.token_file): userd tries it within seconds; or `userctl connect https://idp.example.org/scim/v2` asks for it"
            ),
            (
                failure(.http, 401), settings(machine, [token]),
                "ask whoever administers this machine (file /etc/xdg/userd/config.yaml:3) for a new token, and put it into /home/a/.config/userd/users-token (users.token_file): userd tries it within seconds"
            ),
            (
                failure(.http, 401), settings(machine, [("users.token_file", "/etc/userd/token", machine)]),
                "ask whoever administers this machine (file /etc/xdg/userd/config.yaml:3) for a new token in /etc/userd/token (users.token_file)"
            ),
            (
                failure(.ldap, nil, .checkPassword), settings(own, [("users.password_file", "/p", own)]),
                "check users.bind_dn and users.password_file; put a new password into /p (users.password_file): userd tries it within seconds; or `userctl connect https://idp.example.org/scim/v2` asks for it"
            ),
            (
                failure(.http, 401),
                settings(own, [("users.token_file", "/run/c/users-token", "credential users-token")]),
                "put a new token into users.token_file (credential users-token), and restart userd; or `userctl connect https://idp.example.org/scim/v2` asks for it"
            ),
            (
                failure(.http, 401), settings(own, [("users.headers", "{X-Key: REDACTED}", own)]),
                "put a new value into users.headers (file /home/a/.config/userd/config.yaml:2), and restart userd; or `userctl connect https://idp.example.org/scim/v2` asks for it"
            ),
            (failure(.http, 401), settings(own, [issuer]), "sign in: `userctl sign-in`"),
            (failure(.credentials, nil, .signIn), settings(own, [issuer]), "sign in: `userctl sign-in`"),
            (
                failure(.http, 403), settings(own, [issuer]),
                "ask whoever administers the directory for the right to read users"
            ),
            (
                failure(.http, 401), settings(own, []),
                "`userctl connect https://idp.example.org/scim/v2` asks for what it needs"
            ),
            (
                failure(.http, 401), settings(machine, []),
                "ask whoever administers this machine (file /etc/xdg/userd/config.yaml:3)"
            ),
            (
                failure(.http, 401), [],
                "upstream rejected the credentials: check the setting users.token_file"
            ),
            (failure(.credentials, nil, .getTicket), settings(own, []), "run `kinit`"),
            (
                failure(.credentials, nil, .useHTTPS), settings(own, [token]),
                "set users.url to an https:// address"
            ),
            (failure(.http, 404), settings(own, [token]), "check the address in the setting users.url"),
            (failure(.redirect), settings(own, [token]), "check the address in the setting users.url"),
        ] as [(Failure, [SettingValue], String)])
    func `what only a person can mend names the file, the command or whom to ask`(
        failure: Failure, settings: [SettingValue], expected: String
    ) {
        #expect(toDo(failure, settings) == expected)
    }

    @Test func `facts are asked without credentials, and what time mends is nothing to do`() {
        let settings = settings(own, [Self.token])
        #expect(
            toDo(failure(.http, 401), settings, of: .facts)?.hasPrefix("upstream rejected the request")
                == true)
        for kind in [Failure.Kind.offline, .timeout, .tls, .rateLimited, .decode] {
            #expect(toDo(Failure(kind: kind, message: "no", retryable: true), settings) == nil)
        }
    }

    @Test func `status shows it`() async throws {
        let refused = state(.users, .error, cause: .failed, nextSyncAt: noon, failure: failure(.http, 401))
        var userd = UserdClient.mock(now: { noon })
        userd.getState = {
            try RawReply(
                DaemonState(states: [refused], paused: false, version: "1", startedAt: noon), to: .getState)
        }
        userd.getSettings = {
            try RawReply(SettingsReply(settings: settings(own, [Self.token])), to: .getSettings)
        }
        let shown = await userctl("status", userd: userd).output
        #expect(
            shown.contains("  To do      put a new token into /home/a/.config/userd/users-token"), "\(shown)")
    }

    @Test(
        arguments: [
            (#""kind":"offline","message":"no","retryable":true"#, "last sync failed (offline)", nil),
            (
                #""kind":"http","message":"no","retryable":true,"http_status":502"#,
                "last sync failed (http 502)",
                nil
            ),
            (
                #""kind":"rate_limited","message":"no","retryable":true"#, "last sync failed (rate limited)",
                nil
            ),
            (#""kind":"decode","message":"no","retryable":true"#, "last sync failed (decode)", nil),
            (
                #""kind":"tls","message":"the certificate has expired","retryable":true"#,
                "the certificate has expired", nil
            ),
            (
                #""kind":"credentials","message":"the sign-in has ended; sign in: `userctl sign-in`","retryable":false,"advice":"sign-in""#,
                "the sign-in has ended", "sign in: `userctl sign-in`"
            ),
            (
                #""kind":"http","message":"https://\#(String(repeating: "a", count: 200)).example answered 401: the token has expired","retryable":false,"http_status":401"#,
                "…\(String(repeating: "a", count: 76)).example answered 401: the token has expired", nil
            ),
        ] as [(String, String, String?)])
    func `the notice of a search says why, and what to do`(failure: String, why: String, todo: String?)
        async throws
    {
        let freshness =
            #"{"age":7200,"phase":"error","stale":true,"synced_at":"2026-03-04T10:00:00.000Z","failure":{\#(failure),"attempts":1}}"#
        var userd = UserdClient.untouched
        userd.listUsers = { _ in
            RawReply(
                Array(
                    #"{"users":[{"id":"1","name":{"first":"A","last":"B"}}],"total":1,"freshness":\#(freshness)}"#
                        .utf8), to: .listUsers)
        }
        let ended = await userctl(["list"], userd: userd, width: 80)
        let said = "userctl: \(why); showing users synced 2 h ago (\(todo ?? "see `userctl status`"))\n"
        #expect(ended.errors == said)
    }

    @Test(
        arguments: [
            (["SSH_CONNECTION": "::1 1 ::1 2", "DISPLAY": ":10"], [], true), ([:], [], true),
            (["DISPLAY": ":0"], [], false), (["WAYLAND_DISPLAY": "wayland-0"], [], false),
            ([:], ["--device"], false),
        ] as [([String: String], [String], Bool)])
    func `sign-in names --paste where nobody sits before a screen`(
        environment: [String: String], arguments: [String], isNamed: Bool
    ) async throws {
        var userd = UserdClient.untouched
        userd.signIn = { asked in
            let account = Account(signedIn: true, provider: "https://login.example.org")
            return RawReplies(forEach: { body in
                // An address that opens no browser.
                let prompt = SignInReply(
                    address: "test:a", code: asked.grant == .device ? "AB-CD" : nil)
                _ = try body(RawReply(prompt, to: .signIn))
                _ = try body(RawReply(SignInReply(account: account), to: .signIn))
            })
        }
        let ended = await userctl(["sign-in"] + arguments, userd: userd, environment: environment)
        #expect(ended.code == 0 && ended.errors.contains("sign-in --paste") == isNamed, "\(ended.errors)")
    }
}
