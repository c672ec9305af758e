import Foundation
import TestSupport
import Testing

@Suite("Formats in the settings", .timeLimit(.hang))
struct FormatSettingsTests {
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

    @Test("--print-format prints settings; an unknown name ends with 64 and the known names")
    func printFormat() async throws {
        try await onMachine { machine in
            let unknown = try await run(
                Program.userd.path, ["--print-format", "soap"], environment: machine.environment)
            #expect((unknown.code, unknown.output) == (64, ""))
            #expect(unknown.errors.contains("the formats are ") && unknown.errors.contains("gitlab"))
            let text = try await run(
                Program.userd.path, ["--print-format", "scim"], environment: machine.environment)
            #expect(text.code == 0 && text.output.contains("\nfields:\n"), "\(text)")
        }
    }
}
