import Foundation
import TestSupport
import Testing

@Suite("Formats in the settings", .timeLimit(.hang))
struct FormatSettingsTests {
    @Test(
        "Each mistake in a format is reported with file, line and key",
        arguments: [
            (
                "  fields:\n    id: /id\n    emial: /m",
                "4: users.fields.emial: is not a field; did you mean email?"
            ),
            (
                "  fields: {id: id}",
                "2: users.fields.id: \"id\" is not a pointer: it has to begin with /, as in /id"
            ),
            ("  fields: {email: /m}", "2: users.fields: has no id; write {id: /id} if records have it there"),
            (
                "  fields: {id: /id}\n  paging: {style: pages}",
                "3: users.paging.style: expected one of none, number"
            ),
            (
                "  fields: {id: /id}\n  paging: {style: number}",
                "3: users.paging: the style number needs param, the name of a query parameter"
            ),
            (
                "  fields: {id: /id}\n  records: [a]",
                "3: users.records: expected a single value, found a list"
            ),
            (
                "  fields: {id: /id}\n  recrods: /a",
                "3: users.recrods: is not a setting; did you mean users.records?"
            ),
        ])
    func mistakes(_ yaml: String, _ words: String) async throws {
        try await onMachine { machine in
            try machine.writeConfiguration(
                "users:\n\(yaml)\n  format: json\n  url: http://a.example/\n  page_size: 0\n")
            let checked = try await run(
                Program.userd.path, ["--check-config"], environment: machine.environment)
            #expect(checked.code == 64)
            #expect(checked.errors.contains("userd: \(machine.configuration):\(words)"), "\(checked.errors)")
            #expect(checked.errors.contains("users.page_size: \"0\" is out of range"))
            let started = try await run(Program.userd.path, [], environment: machine.environment)
            #expect(started.code == 64)
        }
    }

    @Test(
        "Settings that do not go with a format are reported",
        arguments: [
            (
                "users: {fields: {id: /id}}",
                "1: users.fields: has no meaning where users.format is randomuser"
            ),
            ("users: {format: scim}", "1: users.format: scim needs users.url"),
            (
                "users: {format: soap, url: \"http://a/\"}",
                "1: users.format: \"soap\" is not a format; expected one of randomuser, scim, graph"
            ),
            ("users: {format: skim, url: \"http://a/\"}", "did you mean scim?"),
            ("users: {format: json, url: \"http://a/\"}", "1: users.format: json needs users.fields"),
            ("facts: {format: scim, url: \"http://a/\"}", "expected one of catfact, json"),
            ("facts: {format: json, url: \"http://a/\", fields: {id: /id}}", "1: facts.fields: has no text"),
            ("facts: {records: /a}", "1: facts.records: has no meaning where facts.format is catfact"),
        ])
    func mismatches(_ yaml: String, _ words: String) async throws {
        try await onMachine { machine in
            try machine.writeConfiguration(yaml + "\n")
            let checked = try await run(
                Program.userd.path, ["--check-config"], environment: machine.environment)
            #expect(checked.code == 64)
            #expect(checked.errors.hasPrefix("userd: \(machine.configuration):1: "), "\(checked.errors)")
            #expect(checked.errors.contains(words), "\(checked.errors)")
            #expect(checked.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("--print-config shows the format's defaults, and its output means the same as settings")
    func printed() async throws {
        try await onMachine { machine in
            func printed() async throws -> [Substring] {
                let finished = try await run(
                    Program.userd.path, ["--print-config"], environment: machine.environment)
                #expect(finished.code == 0, "\(finished.errors)")
                return finished.output.split(separator: "\n").filter { !$0.hasPrefix("  #") }
                    .map { $0.split(separator: "  #")[0] }
            }
            try machine.writeConfiguration(
                "users: {format: okta, url: \"https://a.example/api/v1/users\", fields: {email: [/a, /b], gender: null}}\n"
            )
            let first = try await printed()
            for line in [
                "  format: okta", "  query: \"\"", "  page_size: 200", "  pages: \"\"",
                "  fields: {email: [/a, /b], gender: null}",
            ] { #expect(first.contains(line[...])) }
            try machine.writeConfiguration(first.joined(separator: "\n"))
            #expect(try await printed() == first)
        }
    }

    @Test(
        "--print-format prints valid settings; an unknown name ends with 64 and the known names"
    )
    func printFormat() async throws {
        try await onMachine { machine in
            let unknown = try await run(
                Program.userd.path, ["--print-format", "soap"], environment: machine.environment)
            #expect((unknown.code, unknown.output) == (64, ""))
            let names = try #require(unknown.errors.split(separator: " are ").last).split(separator: ",").map
            {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            #expect(names.contains("scim") && names.contains("gitlab"))
            for name in names where name != "json" {
                let text = try await run(
                    Program.userd.path, ["--print-format", name], environment: machine.environment)
                #expect(text.code == 0)
                let indented = text.outputLines.map { "  " + $0 }.joined(separator: "\n")
                // LDAP's pointers are names of attributes, which only the format ldap takes.
                let (format, url) =
                    name == "ldap" ? (name, "ldap://a.example/dc=a") : ("json", "http://a.example/")
                try machine.writeConfiguration("users:\n  format: \(format)\n  url: \(url)\n\(indented)\n")
                let checked = try await run(
                    Program.userd.path, ["--check-config"], environment: machine.environment)
                #expect(checked.code == 0, "\(checked.errors)")
            }
        }
    }
}
