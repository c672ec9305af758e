import Foundation
import Glibc
import MockDaemon
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

/// Tests the names of columns, and the columns that tables have.
@Suite struct ColumnTests {
    private func table(
        _ arguments: String..., users: [User], width: Int? = nil, environment: [String: String] = [:]
    ) async -> Ended {
        await userctl(
            ["list"] + arguments, userd: .mock(users: users), environment: environment, width: width)
    }

    @Test func `each name belongs to one column, and CSV has each plain column`() throws {
        let names = UserColumn.all.flatMap(\.names)
        #expect(Set(names).count == names.count)
        for column in UserColumn.all {
            for name in column.names { #expect(try UserColumn.list(name) == [column]) }
        }
        #expect(UserColumn(named: "Address.City") == .city)
        #expect(UserColumn(named: "address.") == nil)
    }

    @Test(arguments: UserField.all)
    func `the names of users.fields are names of columns`(field: UserField) {
        #expect(UserColumn(named: field.name) != nil)
    }

    @Test(arguments: [
        "name", "email", "phone", "cell", "username", "gender", "age", "born", "registered", "nationality",
        "street", "city", "state", "postcode", "country", "id", "display_name", "emails", "phones", "manager",
        "updated_at",
    ])
    func `the names of earlier releases are known`(name: String) {
        #expect(UserColumn(named: name) != nil)
    }

    @Test func `paths are those of JSON`() throws {
        let record = try JSONValue(validating: try encoded(User.samples[0]), maximumDepth: 8)
        for column in UserColumn.all {
            guard let path = column.path else { continue }
            let values = path.split(separator: ".").reduce(record as JSONValue?) { $0?[String($1)] }
            // Nobody has a medium picture here.
            let cells = UserCells([column]).values(of: record)
            #expect(cells == [values?.text ?? ""], "\(path)")
        }
    }

    @Test func `short names, paths and CSV's names can be mixed`() async {
        let ended = await table("--columns", "city, name.first,job_title,BORN", users: [anna])
        #expect(
            ended.output == "City   First name  Job title  Born\nMalmö  Anna                   1990-07-20\n")
        let csv = await table("--columns", "city,name.first", "-o", "csv", users: [anna])
        #expect(csv.output == "address_city,name_first\r\nMalmö,Anna\r\n")
    }

    @Test func `columns that are empty for everyone are left out, unless they are asked for`() async {
        let usual = await table(users: [wei])
        #expect(usual.output == "Name   Email            Nat\n王 伟  wei@example.com  CN\n")
        var employee = wei
        (employee.jobTitle, employee.department) = ("Editor", "Press")
        #expect(
            await table(users: [anna, employee]).output.hasPrefix(
                "Name             Email             Phone         Job title  Department  City   Nat  Age\n"))
        let asked = await table("--columns", "name,phone,age", users: [wei])
        #expect(asked.output == "Name   Phone  Age\n王 伟\n")
        let nameless = User(id: "1", name: .init(first: "", last: ""))
        #expect(await table(users: [nameless]).output == "Name\n\n")
    }

    @Test func `--no-header leaves out titles, and room for them`() async {
        #expect(
            await table("--columns", "age,name", "--no-header", users: [anna]).output
                == "35  Bergström, Anna\n")
        let csv = await table("--columns", "age,email", "--no-header", "-o", "csv", users: [anna])
        #expect(csv.output == "35,anna@example.com\r\n")
        let facts = await userctl(
            "facts", "-o", "csv", "--no-header", userd: .mock(facts: ["Cats."]))
        #expect(facts.output.split(separator: "\r\n").count == 1 && facts.output.contains(",Cats.,5,"))
        let shown = await userctl(
            "show", anna.id, "-o", "csv", "--no-header", userd: .mock(users: [anna]))
        #expect(shown.output.hasPrefix("id-anna,lazyduck1,Dr,"))
    }
}

/// Tests the setting `columns` in userd's config.yaml.
@Suite struct ConfiguredColumnsTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("userd/config.yaml") }

    init() throws {
        directory = try TemporaryDirectory()
        try #require(mkdir(directory.file("userd"), 0o700) == 0)
    }

    private func list(_ arguments: String..., file: String) async throws -> Ended {
        try Data(file.utf8).write(to: URL(filePath: path))
        return await userctl(
            ["list"] + arguments, userd: .mock(users: [anna]),
            environment: ["XDG_CONFIG_HOME": directory.path])
    }

    @Test(arguments: [
        "columns: [age, name.first, job_title]", "columns: age, name_first,job_title",
        "paused: true\ncolumns:\n  - age\n  - given\n  - job_title\n",
    ])
    func `they are the default of --columns in tables`(file: String) async throws {
        let ended = try await list(file: file)
        #expect(ended.output == "Age  First name  Job title\n 35  Anna\n")
        #expect(ended.errors == "" && ended.code == 0)
        #expect(try await list("--columns", "age", file: file).output == "Age\n 35\n")
        // Whoever reads CSV expects the same columns on every machine.
        #expect(try await list("-o", "csv", file: file).output.hasPrefix("id,username,name_title,"))
    }

    @Test(arguments: ["", "columns:", "columns: ~", "columns: [", "other: 1", "- columns"])
    func `without them there are the usual ones`(file: String) async throws {
        let ended = try await list(file: file)
        #expect(ended.output.hasPrefix("Name             Email "))
    }

    @Test func `an unknown one is an error with file and line`() async throws {
        let ended = try await list(file: "paused: true\ncolumns: [name, emial]\n")
        #expect(ended.code == 64 && ended.output == "")
        #expect(
            ended.errors.hasPrefix(
                "userctl: \(path):2: columns: unknown column “emial”; did you mean email? The names are id, ")
        )
        #expect(ended.errors.hasSuffix("`userd --check-config` checks the whole file\n"))
        #expect(try await list("--columns", "age", file: "columns: [x]").code == 0)
        let mapping = try await list(file: "columns: {a: b}")
        #expect(
            mapping.errors.contains(
                "columns: has a mapping where names such as [name, email, city] are expected"))
        #expect(try await list(file: "columns: []").code == 64)
    }
}
