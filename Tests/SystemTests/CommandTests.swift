import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl with a daemon", .timeLimit(.hang))
struct CommandTests {
    @Test("Commands fail without userd, and show users and facts once it has synced")
    func first() async throws {
        try await onMachine { machine in
            for command in [
                ["list"], ["show", "x"], ["fact"], ["facts"], ["history"], ["status"], ["sync"], ["watch"],
            ] {
                let result = try await machine.userctl(command)
                #expect(result.code == 69, "\(command)")
                #expect(result.output == "")
                #expect(result.errors.contains("userd is not running"), "\(command): \(result.errors)")
            }

            try await machine.startUserd()
            let sync = try await machine.userctl(["sync", "--wait"])
            #expect(sync.code == 0)
            #expect(sync.output.contains("20 users"))
            let users = try await machine.users()
            let user = try #require(users.first)
            let facts = try await machine.call(.listFacts, ListFacts(limit: 1000)).facts
            for (command, words) in [
                (["list"], user.name.last), (["show", user.id], user.name.last),
                (["show", user.email ?? ""], user.id), (["search", user.name.last], user.name.last),
                (["facts"], facts[0].text), (["history"], "committed"), (["status"], "loaded"),
                (["retry", "--wait", "-q"], "loaded"),
            ] {
                let result = try await machine.userctl(command)
                #expect(result.code == 0, "\(command): \(result.errors)")
                #expect(result.errors == "", "\(command)")
                #expect(result.output.contains(words), "\(command)")
            }
            let fact = try await machine.userctl(["fact"])
            #expect(facts.map { $0.text + "\n" }.contains(fact.output))
            let new = try await machine.userctl(["fact", "--new"])
            #expect(new.code == 0)
            #expect(machine.upstream.requests(for: "/fact") == 1)
        }
    }

    @Test("JSON output is the reply from the socket")
    func json() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            #expect(try await machine.userctl(["sync", "--wait", "--output", "json"]).code == 0)
            let key = try #require(try await machine.users().first).id
            for (command, reply) in [
                (["status"], try await machine.reply(.getState, NoParameters())),
                (["history"], try await machine.reply(.history, History(limit: 20))),
                (["list", "--all"], try await machine.reply(.listUsers, ListUsers(limit: 1000))),
                (["list", "--limit", "3"], try await machine.reply(.listUsers, ListUsers(limit: 3))),
                (
                    ["list", "--order", "age", "--descending"],
                    try await machine.reply(.listUsers, ListUsers(order: .age, descending: true))
                ),
                (["show", key], try await machine.reply(.getUser, GetUser(key: key))),
                (["facts", "--all"], try await machine.reply(.listFacts, ListFacts(limit: 1000))),
                (["retry"], try await machine.reply(.retry, Retry())),
            ] {
                let result = try await machine.userctl(command + ["--output", "json"])
                #expect(result.code == 0)
                #expect(try withoutAge(Array(result.output.utf8)) == withoutAge(reply), "\(command)")
            }
        }
    }

    @Test("Columns line up for names in any script")
    func columns() async throws {
        // Each name with its width in a terminal's cells.
        let names: [(last: String, first: String, width: Int)] = [
            ("Nichols", "Jennie", 15), ("髙橋", "花子", 9), ("علیزاده", "آدرینا", 15),
            ("A\u{30A}ngstro\u{308}m", "Jose\u{301}", 14), ("Ґжицький", "Світогор", 18),
            ("Łuk\u{200B}asz", "", 6),
            ("Kim 🐈‍⬛", "한글", 12), (String(repeating: "Wolfe", count: 60), "", 300),
        ]
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve(names.map { ($0.last, $0.first) })
            let list = try await machine.userctl(["list", "--columns", "name,id,nationality"])
            #expect(list.code == 0)
            #expect(list.errors == "")
            #expect(list.outputLines.count == names.count + 1)
            #expect(list.outputLines[0].hasPrefix("Name" + String(repeating: " ", count: 298) + "ID"))
            for (number, name) in names.enumerated() {
                let line = try #require(list.outputLines.first { $0.contains("user-\(number)") })
                let cell = try #require(line.range(of: "user-\(number)")).lowerBound
                let blanks = line[..<cell].reversed().prefix { $0 == " " }.count
                #expect(name.width + blanks == 302, "\(line)")
                #expect(line.hasSuffix("  XX"))
            }
        }
    }

    @Test("Users are sorted by last name, then first name, regardless of case and accents")
    func order() async throws {
        let names = [
            ("Angst", "B"), ("ångström", "A"), ("de la Cruz", "Ana"), ("De La Cruz", "Émile"),
            ("de la cruz", "Zoe"),
            ("Émile", ""), ("emma", "x"), ("li", "Ng"), ("Lima", "A"), ("Łukasz", "A"), ("Zeta", "A"),
            ("иванов", "Пётр"), ("Иванова", "Анна"), ("Яценко", "Світогор"), ("علیزاده", "آدرینا"),
            ("髙橋", "花子"),
        ]
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve(names.shuffled())
            let expected =
                names.dropLast().map { $0.1.isEmpty ? $0.0 : "\($0.0), \($0.1)" } + ["髙橋 花子"]
            let list = try await machine.userctl(["list", "--columns", "name"])
            #expect(Array(list.outputLines.dropFirst()) == expected)
            let down = try await machine.userctl(["list", "--columns", "name", "--descending"])
            #expect(Array(down.outputLines.dropFirst()) == expected.reversed())
        }
    }

    @Test("list and show send no control characters of upstream's to the terminal")
    func escapes() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["paused": "true"])
            try await machine.serve([("\u{1B}]0;owned\u{7}Red", "\u{202E}kcab\u{9B}31m\r\n")])
            for command in [["list"], ["show", "user-0"]] {
                let output = try await machine.userctl(command).output
                let scalars = output.unicodeScalars.filter { $0 != "\n" }
                #expect(scalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) })
                #expect(output.contains(#"\u{1B}]0;owned\u{7}Red"#))
            }
        }
    }

    @Test("A command ends silently when the reader of its output closes the pipe")
    func pipe() async throws {
        try await onMachine { machine in
            try await machine.startUserd(["users.page_size": "2000"])
            #expect(try await machine.sync(.users).count == 2000)
            for command in ["list --all", "list --all --output json", "facts"] {
                let result = try await run(
                    "/bin/sh", ["-c", "\(Program.userctl.path) \(command) | head -c 20"],
                    environment: machine.environment)
                #expect(result.code == 0, "\(command)")
                #expect(result.output.utf8.count == 20)
                #expect(result.errors == "", "\(command)")
            }
        }
    }

    static let commands: [(arguments: [String], code: Int32)] = [
        (["--help"], 0), (["--version"], 0), ([], 0), (["show", "nobody@example.com"], 1),
        (["fact", "--max-length", "1"], 1), (["lost"], 64), (["list", "--limit", "0"], 64),
        (["list", "--nonsense"], 64), (["list", "--columns", "shoe"], 64), (["show"], 64),
        (["sync", "shoes"], 64),
    ]

    @Test("Exit codes tell wrong usage from users that are not found")
    func codes() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            #expect(try await machine.sync(.facts).phase == .loaded)
            for (arguments, code) in Self.commands {
                let result = try await machine.userctl(arguments)
                #expect(result.code == code, "\(arguments): \(result.errors)")
                #expect(result.output.isEmpty == (code != 0), "\(arguments)")
                #expect(result.errors.isEmpty == (code == 0), "\(arguments)")
            }
        }
    }

    @Test("watch continues after a restart of userd without a gap or a repeat, until it is interrupted")
    func watch() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            let watch = try machine.start(.userctl, ["watch", "users", "--output", "json"])
            try await watch.line(containing: #""phase":"initial""#, in: .output)
            #expect(try await machine.sync(.users).phase == .loaded)
            try await watch.line(containing: #""cause":"committed"#, in: .output)

            userd.send(SIGTERM)
            try await userd.ended()
            try await watch.line(containing: "lost the connection to userd", in: .errors)
            try await machine.startUserd(["paused": "true"])
            let last = try await machine.sync(.users)
            try await watch.line(containing: "\"index\":\(last.index),", in: .output)
            watch.send(SIGINT)
            #expect(try await watch.ended() == .signalled(SIGINT))
            let states = try watch.text(.output).split(separator: "\n").map {
                try decoded(State.self, from: Array($0.utf8))
            }
            #expect(states.map(\.index) == Array(0...last.index))
            #expect(watch.text(.errors).contains("userd is back"))
        }
    }

    /// A document without the age, which changes from one moment to the next.
    private func withoutAge(_ json: [UInt8]) throws -> NSDictionary {
        let object = try JSONSerialization.jsonObject(with: Data(json))
        let document = try #require(object as? [String: Any])
        guard var freshness = document["freshness"] as? [String: Any] else { return document as NSDictionary }
        #expect(freshness["age"] is NSNumber)
        freshness["age"] = nil
        return document.merging(["freshness": freshness]) { $1 } as NSDictionary
    }
}

extension Machine {
    /// Syncs users with these names and the ids `user-0` and so on.
    func serve(_ names: [(last: String, first: String)]) async throws {
        let records = names.enumerated().map { number, name in
            [
                "name": ["last": name.last, "first": name.first], "login": ["uuid": "user-\(number)"],
                "nat": "xx",
            ] as [String: Any]
        }
        let body = String(
            decoding: try JSONSerialization.data(withJSONObject: ["results": records]), as: UTF8.self)
        try await upstream.setFaults([Fault(.status(200, body: body), path: "/api")])
        let state = try await sync(.users)
        guard state.phase == .loaded else {
            throw WaitedInVain(description: "\(state)")
        }
    }
}
