import ArgumentParser
import Testing

@testable import Daemon

/// Tests `columns`, which userctl uses and userd only checks.
struct ColumnsTests {
    @Test(arguments: [
        "columns: [name, job_title, address.city]", "columns: name, job_title , address.city",
        "columns:\n  - name\n  - job_title\n  - address.city\n",
    ])
    func `it is a list of names, or a text`(file: String) throws {
        let loaded = try load(file: file)
        #expect(
            loaded.settings.columns?.joined(separator: ",").filter { $0 != " " }
                == "name,job_title,address.city")
        #expect(try load(file: loaded.printed()).settings == loaded.settings)
    }

    @Test func `an unknown name is a mistake with its line`() throws {
        #expect(
            try failure { try load(file: "paused: true\ncolumns: [name, emial]\n") } == """
                \(configPath):2: columns: holds "emial", which is not a column (did you mean email?); expected names \
                of columns such as [name, email, city]; `userctl list --help` has all
                """)
        #expect(
            try failure { try load(file: "columns: size") }.contains("holds \"size\", which is not a column;")
        )
    }

    @Test(arguments: ["[]", "{a: b}", "[[name]]", "[~]"])
    func `another value is a mistake`(value: String) throws {
        #expect(
            try failure { try load(file: "columns: \(value)") }.contains("is not a list of names; expected"))
    }

    @Test func `there is no option and no variable`() throws {
        #expect(throws: (any Error).self) { try SettingsOptions.parse(["--columns", "name"]) }
        #expect(try load(environment: ["USERD_COLUMNS": "x"]).settings.columns == nil)
    }
}
