import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing

/// Control sequences that upstream, or arguments of a command, could send to a terminal.
private let hostile =
    "\u{1B}[2J\u{1B}]0;t\u{7}\u{1B}]52;c;eA==\u{1B}\\\u{1B}]8;;http://e\u{7}\u{9B}31m\u{9D}\u{85}\r\n\t\u{8}\u{7F}"
    + "\u{202E}\u{2066}\u{200F}\u{61C}\u{2028}\u{E0041}x"

/// A user with hostile text in each field, a hostile fact and a hostile error body.
private struct HostileUpstream {
    let users: String
    let facts: String
    let error: String

    init() throws {
        let user: [String: Any] = [
            "gender": hostile, "nat": hostile, "email": "a\(hostile)@b", "phone": hostile, "cell": hostile,
            "name": ["title": hostile, "first": hostile, "last": hostile],
            "login": ["uuid": "id-\(hostile)", "username": "u\(hostile)"],
            "location": [
                "street": hostile, "city": hostile, "state": hostile, "country": hostile, "postcode": hostile,
                "timezone": ["offset": hostile],
            ],
            "picture": ["large": hostile, "medium": hostile, "thumbnail": hostile],
        ]
        let fact: [String: Any] = ["fact": "Cats \(hostile)", "length": 3]
        func json(_ object: Any) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        users = try json(["results": [user, user.merging(["login": ["uuid": "plain"]]) { $1 }]])
        facts = try json(["data": [fact], "last_page": 1, "total": 1])
        error = try json(["error": hostile])
    }
}

/// Checks the bytes of every command's output, with hostile text everywhere.
@Suite(.timeLimit(.hang)) struct HostileTextTests {
    /// Commands that end by themselves, as words; KEY stands for a user's id.
    private static let commands =
        ["table", "json", "ndjson", "csv", "vcard", "mutt"].flatMap {
            ["list --output \($0)", "show KEY --output \($0)"]
        }
        + ["table", "json", "ndjson", "csv"].flatMap { ["facts --output \($0)", "history --output \($0)"] }
        + ["table", "json", "ndjson"].map { "fact --output \($0)" }
        + ["table", "json"].flatMap {
            ["status --output \($0)", "sync --wait --output \($0)", "retry --wait --output \($0)"]
        }
        + ["initial", "syncing", "loaded", "empty", "error"].map { "preview \($0)" } + [
            "list --columns id,name,email,phone,cell,username,gender,nationality,street,city,state,postcode,country",
            "list --columns mailbox,id", "list --columns mailbox --output csv", "show KEY --field mailbox",
            "list --no-header --columns name,street,picture_large", "show KEY --field HOSTILE",
            "show KEY --field name,street,picture_large", "show x HOSTILE", "picture x HOSTILE",
            "open KEY --print", "open KEY call --print", "open HOSTILE", "open KEY HOSTILE", "who HOSTILE",
            "browse --card HOSTILE", "team KEY", "team HOSTILE", "team KEY --output json", "org KEY --up",
            "org HOSTILE --depth 2",
            "org KEY --output json", "show KEY --up", "list --kind HOSTILE", "list --kind all",
            "search x", "show x", "show HOSTILE", "show plain", "search HOSTILE", "list --search HOSTILE",
            "picture KEY", "picture HOSTILE", "picture KEY --output /HOSTILE/x", "fact --new", "cancel",
            "pause", "resume",
            "wait --for error --for loaded --for empty --timeout 1", "wait --for initial --timeout 0.1",
            "wait --timeout HOSTILE", "HOSTILE", "list --HOSTILE", "list --order HOSTILE",
            "list --columns HOSTILE",
            "list --socket /HOSTILE", "list --socket /HOSTILE --database /HOSTILE", "doctor --offline",
            "doctor",
            "doctor --socket /HOSTILE --database /HOSTILE --offline", "completion HOSTILE", "browse HOSTILE",
            "pick HOSTILE", "pick --field HOSTILE", "pick --output HOSTILE",
            "---completion show -- key 1 4 userctl show u",
        ]

    @Test("No command prints a control sequence from data; newline is its only control character")
    func terminal() async throws {
        let upstream = try HostileUpstream()
        try await onMachine { machine in
            try await machine.upstream.setFaults([
                Fault(.status(200, body: upstream.users), path: "/api"),
                Fault(.status(200, body: upstream.facts), path: "/fact"),
            ])
            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            #expect(try await machine.sync(.facts).phase == .loaded)
            try await scan(machine)
            // Each error contains upstream's message.
            try await machine.upstream.setFaults([Fault(.status(500, body: upstream.error))])
            #expect(try await machine.sync(.users).phase == .error)
            try await scan(machine)
        }
    }

    private func scan(_ machine: Machine) async throws {
        for command in Self.commands {
            let words = command.split(separator: " ").map { word in
                String(word).replacing("KEY", with: "id-\(hostile)").replacing("HOSTILE", with: hostile)
            }
            let line = ([Program.userctl.path] + words).map { "'\($0)'" }.joined(separator: " ")
            var environment = machine.environment.merging(["TERM": "dumb", "NO_COLOR": "1"]) { $1 }
            let shown = try await run(
                "/usr/bin/script", ["-qec", "stty -onlcr cols 300; exec \(line)", "/dev/null"],
                environment: environment)
            #expect(controls(in: shown.output) == [], "\(command) on a terminal: \(shown.output)")
            // A file gets the data unchanged; messages on stderr are escaped.
            environment["TERM"] = nil
            let piped = try await run(Program.userctl.path, words, environment: environment)
            #expect(controls(in: piped.errors) == [], "\(command) on stderr: \(piped.errors)")
            #expect(!shown.output.isEmpty || piped.output.isEmpty, "\(command)")
            if command.hasSuffix("json"), piped.code == 0 {
                for document in command.hasSuffix("ndjson")
                    ? piped.output.split(separator: "\n") : [piped.output[...]]
                {
                    #expect(throws: Never.self) {
                        try JSONSerialization.jsonObject(with: Data(document.utf8))
                    }
                }
            }
        }
    }

    /// Includes controls of more than one byte and bidirectional overrides. Excludes the isolates (U+2068,
    /// U+2069) that userctl puts around such text itself, and the joiner in emoji.
    private func controls(in text: String) -> [String] {
        text.flatMap { character in
            let first = character.unicodeScalars.first
            let isEmoji = first.map { $0.properties.isEmoji && $0.value > 0xFF } ?? false
            return character.unicodeScalars.filter { scalar in
                !["\n", "\u{2068}", "\u{2069}"].contains(scalar) && !(isEmoji && scalar == "\u{200D}")
                    && [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                        scalar.properties.generalCategory)
            }.map { String($0.value, radix: 16) }
        }
    }
}
