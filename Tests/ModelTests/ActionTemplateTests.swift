import Model
import Testing

@Suite("Actions: from a record to an address")
struct ActionTemplateTests {
    private static let values = [
        "name": "Zoë Quartermaine & Söhne", "email": "zoe@example.org", "phone": "+41 (0)31 555-01.01",
        "username": "zoe/../q?x=1#y",
    ]

    private func address(_ template: String, _ values: [String: String] = Self.values) throws -> String {
        try ActionTemplate(template).address { values[$0.key] }.text
    }

    @Test(
        "Values go into path, query and fragment, percent-encoded",
        arguments: [
            ("mailto:{email}", "mailto:zoe@example.org"),
            (
                "MAILTO:{email}?subject={name}",
                "mailto:zoe@example.org?subject=Zo%C3%AB%20Quartermaine%20%26%20S%C3%B6hne"
            ),
            ("tel:{phone}", "tel:+41315550101"),
            ("sip:{email}", "sip:zoe@example.org"), ("xmpp:{email}?message", "xmpp:zoe@example.org?message"),
            ("matrix:u/{email}", "matrix:u/zoe%40example.org"),
            (
                "https://teams.microsoft.com/l/chat/0/0?users={email}",
                "https://teams.microsoft.com/l/chat/0/0?users=zoe%40example.org"
            ),
            ("msteams:/l/chat/0/0?users={email}", "msteams:/l/chat/0/0?users=zoe%40example.org"),
            ("https://git.example.org/{username}", "https://git.example.org/zoe%2F..%2Fq%3Fx%3D1%23y"),
            ("https://a.example:8443/x#{email}", "https://a.example:8443/x#zoe%40example.org"),
            ("slack://user?team=T1&id={username}", "slack://user?team=T1&id=zoe%2F..%2Fq%3Fx%3D1%23y"),
        ])
    func encoded(template: String, expected: String) throws {
        #expect(try address(template) == expected)
    }

    @Test(
        "Scheme and host stand literally in a template, and names are columns",
        arguments: [
            ("javascript:alert({name})", "does not begin with one of the schemes https, mailto, tel,"),
            ("file:///{name}", "does not begin with one of the schemes"),
            ("http://a.example/{name}", "does not begin with one of the schemes"),
            ("{email}", "does not begin with one of the schemes"),
            ("{name}:x", "does not begin with one of the schemes"), ("", "does not begin with"),
            ("https:{username}", "has no // and host after https:"),
            ("https:/{username}", "has no // and host after https:"),
            ("https://{username}/a", "has no literal host after //"),
            ("https://a.example{username}", "has no literal host after //"),
            ("https://{username}@a.example/", "has no literal host after //"),
            ("https:///{username}", "has no literal host after //"),
            ("slack://{username}", "has no literal host after //"),
            ("mailto:{emial}", "has {emial}, which is not a column (did you mean email?)"),
            ("tel:{email}", "has a column that is no telephone number"),
            ("tel:00{name}", "has a column that is no telephone number"),
            ("mailto:{phone}", "has a column that is no email address"),
            ("mailto:{email", "has a brace without the other one"),
            ("mailto:email}", "has a brace without the other one"),
            ("mailto:{email}?subject=a b", "has a character that an address can't have"),
            ("mailto:{email}\n", "has a character that an address can't have"),
            ("https://ü.example/", "has a character that an address can't have"),
            ("https://a.example/" + String(repeating: "x", count: 1000), "is longer than 1000 bytes"),
        ])
    func refused(template: String, problem: String) {
        let error = #expect(throws: InvalidAction.self) { try ActionTemplate(template) }
        #expect(error?.problem.hasPrefix(problem) == true, "\(error?.problem ?? "")")
    }

    @Test(
        "A telephone number keeps its digits; a code, an extension or a longer number is refused",
        arguments: [
            ("+41 31 555 01 01", "+41315550101"), ("031/555 01 01", "0315550101"), ("(031) 555", "031555"),
            ("+41\u{A0}31", "+4131"), ("4711", "4711"), ("+123456789012345", "+123456789012345"),
            ("+1234567890123456", nil), ("*21*0900123456#", nil), ("*#06#", nil), ("#31#0900", nil),
            ("++41 31", nil), ("41+31", nil), ("031 555 x12", nil), ("call me", nil), ("٠٣١", nil),
            ("+", nil),
            ("031;ext=1", nil), ("031,,9", nil), ("031\u{202E}555", nil),
        ] as [(String, String?)])
    func numbers(number: String, dialled: String?) throws {
        let template = try ActionTemplate("tel:{phone}")
        guard let dialled else {
            #expect(throws: ActionTemplate.Obstacle.unusable(.phone, .number)) {
                try template.address { _ in number }
            }
            return
        }
        #expect(try template.address { _ in number }.text == "tel:" + dialled)
    }

    @Test(
        "A mail or a chat goes to one address or to nobody",
        arguments: [
            "zoe", "@example.org", "zoe@", "a@x, b@y", "a@b@c", "zoe q@example.org", "a@x\r\nBcc: b@y",
            "Zoë <zoe@example.org>", "a\u{0}@x", "a@x\u{202E}", "a@x;b",
        ])
    func mailboxes(address: String) throws {
        for template in ["mailto:{email}?subject=x", "https://a.example/chat?users={email}"] {
            #expect(throws: ActionTemplate.Obstacle.unusable(.email, .address)) {
                try self.address(template, ["email": address])
            }
        }
        #expect(ActionAddress.mail(to: address) == nil)
    }

    @Test("Only an email address brings a host into a call or a chat, and never a second one")
    func hosts() throws {
        let values = ["username": "0900@evil.example", "email": "zoe@example.org"]
        for scheme in ["sip", "xmpp"] {
            #expect(try address("\(scheme):{username}", values) == "\(scheme):0900%40evil.example")
            #expect(try address("\(scheme):{email}", values) == "\(scheme):zoe@example.org")
            #expect(throws: ActionTemplate.Obstacle.unusable(.username, .host)) {
                try address("\(scheme):{username}@pbx.example", values)
            }
            #expect(throws: ActionTemplate.Obstacle.unusable(.email, .host)) {
                try address("\(scheme):{email}@pbx.example", values)
            }
        }
        #expect(try address("sip:{username}@pbx.example", ["username": "4711"]) == "sip:4711@pbx.example")
        #expect(try address("mailto:{username}", ["username": "a@example.org"]) == "mailto:a@example.org")
        #expect(throws: ActionTemplate.Obstacle.unusable(.username, .address)) {
            try address("mailto:{username}@example.org", values)
        }
    }

    @Test("Signs of an address that mean something in a URL are encoded")
    func signs() {
        #expect(ActionAddress.mail(to: "a.b+c@example.com")?.text == "mailto:a.b%2Bc@example.com")
        #expect(ActionAddress.mail(to: "a?cc=b&c@å.se")?.text == "mailto:a%3Fcc%3Db%26c@%C3%A5.se")
        #expect(ActionAddress.mail(to: " zoe@example.org ")?.text == "mailto:zoe@example.org")
    }

    @Test("A missing value, a step to another folder, a control and a long address are no address")
    func obstacles() throws {
        let template = try ActionTemplate("https://a.example/{username}")
        for missing in [nil, "", "  "] {
            #expect(throws: ActionTemplate.Obstacle.missing(.username)) {
                try template.address { _ in missing }
            }
        }
        for value in [".", "..", "a\nb", "a\u{2028}b", "\u{1B}[2J"] {
            #expect(throws: ActionTemplate.Obstacle.unusable(.username, .text)) {
                try template.address { _ in value }
            }
        }
        let long = String(repeating: "ä", count: 400)
        #expect(throws: ActionTemplate.Obstacle.tooLong) { try template.address { _ in long } }
    }

    @Test("Whatever a value has, the address is printable ASCII and keeps its scheme and host")
    func hostile() throws {
        let template = try ActionTemplate("https://a.example/{name}?q={name}#{name}")
        for value in [
            "\";rm -rf ~", "javascript:alert(1)", "<b>&amp;</b>", "//evil.example/", "\\\\evil", "%0a",
            "\u{202E}x",
        ] {
            let text = try template.address { _ in value }.text
            #expect(text.hasPrefix("https://a.example/") && text.utf8.allSatisfy { 0x21...0x7E ~= $0 })
            #expect(!text.dropFirst(8).contains { "\"<>\\ ".contains($0) } && !text.contains("//evil"))
        }
    }

    @Test("Of several files the first has its way by name, and an empty entry removes an action")
    func merged() throws {
        let own = [
            try UserAction("page", "https://a.example/{id}"), try UserAction("call", ""),
            try UserAction("mail", "mailto:{email}?subject=x"),
        ]
        let machine = [try UserAction("call", "sip:{email}"), try UserAction("chat", "xmpp:{email}")]
        let actions = UserAction.merged([own, machine, UserAction.builtIn])
        #expect(actions.map(\.name) == ["mail", "page", "chat"])
        #expect(actions.first?.template?.text == "mailto:{email}?subject=x")
        #expect(UserAction.merged([UserAction.builtIn]).map(\.name) == ["mail", "call"])
        for name in ["", "a b", "a.b", "ä", String(repeating: "a", count: 31)] {
            #expect(throws: InvalidAction.self) { try UserAction(name, "xmpp:{email}") }
        }
    }
}
