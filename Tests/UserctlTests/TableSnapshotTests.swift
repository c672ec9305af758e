import Model
import TerminalViews
import TestSupport
import Testing

@testable import UserctlCommands

/// Tests what people see at several widths of a terminal: one address has 51 cells.
@Suite struct TableSnapshotTests {
    private func shown(_ arguments: String..., width: Int) async throws -> String {
        let people = [
            ("Jeppe", "von Allmen", "jeppe.von-allmen@example.com", "+45 81 71 16 97"),
            ("Anna", "Keller", "anna.keller@example.com", "079 202 16 61"),
            ("Anna", "Keller", "anna.keller2@example.com", "+41 31 555 01 02"),
            ("Thị Minh Khai", "Nguyễn", "tmk@example.com", "+84 28 3829 5730"),
            (
                "Maximilian", "von Hohenstein", "maximilian.von-hohenstein@berlin.example-firmen.com",
                "+49 30 1234567"
            ),
        ]
        let work = [
            ("Translator", "Logistics", "Aabenraa"), ("Driver", "Research", "Moutier"),
            ("Editor", "Sales", "Bern"), ("Analyst", "Marketing", "Huế"),
            ("Senior Vice President of Regulatory Affairs", "Compliance", "Berlin"),
        ]
        let users = zip(people, work).enumerated().map { number, person in
            User(id: "id-\(number)", name: .init(first: person.0.0, last: person.0.1)) {
                ($0.email, $0.phone) = (person.0.2, person.0.3)
                ($0.jobTitle, $0.department, $0.address.city) = person.1
            }
        }
        let cache = try await CacheFile(users: users)
        let paths = ["--quiet", "--database", cache.path, "--socket", "/nowhere/s"]
        return await userctl(arguments + paths, width: width).output
    }

    @Test(
        arguments: [
            (
                [40],
                """
                Name        von Allmen, Jeppe
                Email       jeppe.von-allmen@example.com
                Phone       +45 81 71 16 97
                Job title   Translator
                Department  Logistics
                City        Aabenraa

                Name        von Hohenstein, Maximilian
                Email
                  maximilian.von-hohenstein@
                  berlin.example-firmen.com
                Phone       +49 30 1234567
                Job title   Senior Vice President of
                            Regulatory Affairs
                Department  Compliance
                City        Berlin

                """
            ),
            (
                [60],
                """
                Name            Email                         Phone
                von Allmen, J…  jeppe.von-allmen@example.com
                  +45 81 71 16 97
                von Hohenstei…                                +49 30 1234567
                  maximilian.von-hohenstein@berlin.example-firmen.com

                """
            ),
            (
                [80],
                """
                Name                        Email                                Phone
                von Allmen, Jeppe           jeppe.von-allmen@example.com         +45 81 71 16 97
                von Hohenstein, Maximilian                                       +49 30 1234567
                  maximilian.von-hohenstein@berlin.example-firmen.com

                """
            ),
            (
                [100],
                """
                Name                        Email                                                Phone
                von Allmen, Jeppe           jeppe.von-allmen@example.com                         +45 81 71 16 97
                von Hohenstein, Maximilian  maximilian.von-hohenstein@berlin.example-firmen.com  +49 30 1234567

                """
            ),
            (
                [160],
                """
                Name                        Email                                                Phone            Job title                                 Department  City
                von Allmen, Jeppe           jeppe.von-allmen@example.com                         +45 81 71 16 97  Translator                                Logistics   Aabenraa
                von Hohenstein, Maximilian  maximilian.von-hohenstein@berlin.example-firmen.com  +49 30 1234567   Senior Vice President of Regulatory Aff…  Compliance  Berlin

                """
            ),
        ] as [([Int], String)])
    func `search`(widths: [Int], table: String) async throws {
        for width in widths { #expect(try await shown("search", "von", width: width) == table) }
    }

    @Test(
        arguments: [
            (
                [40],
                """
                Name        Keller, Anna
                Email       anna.keller@example.com
                Phone       079 202 16 61
                Job title   Driver
                Department  Research
                City        Moutier

                Name        Keller, Anna
                Email       anna.keller2@example.com
                Phone       +41 31 555 01 02
                Job title   Editor
                Department  Sales
                City        Bern

                Name        Nguyễn, Thị Minh Khai
                Email       tmk@example.com
                Phone       +84 28 3829 5730
                Job title   Analyst
                Department  Marketing
                City        Huế

                Name        von Allmen, Jeppe
                Email       jeppe.von-allmen@example.com
                Phone       +45 81 71 16 97
                Job title   Translator
                Department  Logistics
                City        Aabenraa

                Name        von Hohenstein, Maximilian
                Email
                  maximilian.von-hohenstein@
                  berlin.example-firmen.com
                Phone       +49 30 1234567
                Job title   Senior Vice President of
                            Regulatory Affairs
                Department  Compliance
                City        Berlin

                """
            ),
            (
                [60],
                """
                Name          Email                         Phone
                Keller, Anna  anna.keller@example.com       079 202 16 61
                Keller, Anna  anna.keller2@example.com      +41 31 555 01 02
                Nguyễn, Thị…  tmk@example.com               +84 28 3829 5730
                von Allmen,…  jeppe.von-allmen@example.com  +45 81 71 16 97
                von Hohenst…                                +49 30 1234567
                  maximilian.von-hohenstein@berlin.example-firmen.com

                """
            ),
            (
                [80],
                """
                Name                        Email                               Phone
                Keller, Anna                anna.keller@example.com             079 202 16 61
                Keller, Anna                anna.keller2@example.com            +41 31 555 01 02
                Nguyễn, Thị Minh Khai       tmk@example.com                     +84 28 3829 5730
                von Allmen, Jeppe           jeppe.von-allmen@example.com        +45 81 71 16 97
                von Hohenstein, Maximilian                                      +49 30 1234567
                  maximilian.von-hohenstein@berlin.example-firmen.com

                """
            ),
            (
                [100],
                """
                Name                        Email                                                Phone
                Keller, Anna                anna.keller@example.com                              079 202 16 61
                Keller, Anna                anna.keller2@example.com                             +41 31 555 01 02
                Nguyễn, Thị Minh Khai       tmk@example.com                                      +84 28 3829 5730
                von Allmen, Jeppe           jeppe.von-allmen@example.com                         +45 81 71 16 97
                von Hohenstein, Maximilian  maximilian.von-hohenstein@berlin.example-firmen.com  +49 30 1234567

                """
            ),
            (
                [160],
                """
                Name                        Email                                                Phone             Job title                                Department  City
                Keller, Anna                anna.keller@example.com                              079 202 16 61     Driver                                   Research    Moutier
                Keller, Anna                anna.keller2@example.com                             +41 31 555 01 02  Editor                                   Sales       Bern
                Nguyễn, Thị Minh Khai       tmk@example.com                                      +84 28 3829 5730  Analyst                                  Marketing   Huế
                von Allmen, Jeppe           jeppe.von-allmen@example.com                         +45 81 71 16 97   Translator                               Logistics   Aabenraa
                von Hohenstein, Maximilian  maximilian.von-hohenstein@berlin.example-firmen.com  +49 30 1234567    Senior Vice President of Regulatory Af…  Compliance  Berlin

                """
            ),
        ] as [([Int], String)])
    func `list`(widths: [Int], table: String) async throws {
        for width in widths { #expect(try await shown("list", width: width) == table) }
    }

    @Test(
        arguments: [
            (
                [60],
                """
                Name                        Email
                  Phone             Department
                Keller, Anna                anna.keller@example.com
                  079 202 16 61     Research
                Keller, Anna                anna.keller2@example.com
                  +41 31 555 01 02  Sales
                Nguyễn, Thị Minh Khai       tmk@example.com
                  +84 28 3829 5730  Marketing
                von Allmen, Jeppe           jeppe.von-allmen@example.com
                  +45 81 71 16 97   Logistics
                von Hohenstein, Maximilian
                  +49 30 1234567    Compliance
                  maximilian.von-hohenstein@berlin.example-firmen.com

                """
            ),
            (
                [80],
                """
                Name                        Email
                  Phone             Department
                Keller, Anna                anna.keller@example.com
                  079 202 16 61     Research
                Keller, Anna                anna.keller2@example.com
                  +41 31 555 01 02  Sales
                Nguyễn, Thị Minh Khai       tmk@example.com
                  +84 28 3829 5730  Marketing
                von Allmen, Jeppe           jeppe.von-allmen@example.com
                  +45 81 71 16 97   Logistics
                von Hohenstein, Maximilian  maximilian.von-hohenstein@berlin.example-firmen.com
                  +49 30 1234567    Compliance

                """
            ),
        ] as [([Int], String)])
    func `list with columns that were asked for`(widths: [Int], table: String) async throws {
        let columns = "--columns=name,email,phone,department"
        for width in widths { #expect(try await shown("list", columns, width: width) == table) }
    }
}
