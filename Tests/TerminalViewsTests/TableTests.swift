import TerminalViews
import Testing

struct Person {
    var name: String
    var email: String
    var nationality: String
    var age: Int
}

func peopleTable(_ people: [Person]) -> Table {
    Table(people) {
        TableColumn("Name", priority: 1) { Text($0.name) }
        TableColumn("Email") { Text($0.email).style(.secondary) }
        TableColumn("Nat") { Text($0.nationality) }
        TableColumn("Age", alignment: .trailing) { Text(String($0.age)) }
    }
}

struct TableTests {
    let people = [
        Person(name: "Nichols, Jennie", email: "jennie.nichols@example.com", nationality: "US", age: 31),
        Person(name: "王小明", email: "wang@example.cn", nationality: "CN", age: 5),
        Person(
            name: "Jose\u{301} 👩\u{200D}👩\u{200D}👧\u{200D}👦", email: "\u{1B}[2J", nationality: "🇩🇪", age: 100),
    ]

    @Test("In a wide table, each column is as wide as its widest cell", arguments: [80, 500])
    func wide(width: Int) {
        #expect(
            render(peopleTable(people), width: width, colour: false) == """
                Name             Email                       Nat  Age
                Nichols, Jennie  jennie.nichols@example.com  US    31
                王小明           wang@example.cn             CN     5
                Jose\u{301} 👩‍👩‍👧‍👦          \\u{1B}[2J                   🇩🇪   100

                """)
    }

    @Test("The widest column of the lowest priority is cut first")
    func narrower() {
        #expect(
            render(peopleTable(people), width: 40, colour: false) == """
                Name             Email          Nat  Age
                Nichols, Jennie  jennie.nicho…  US    31
                王小明           wang@example…  CN     5
                Jose\u{301} 👩‍👩‍👧‍👦          \\u{1B}[2J      🇩🇪   100

                """)
    }

    @Test("Once the widest column has its minimum, other columns are cut, between characters")
    func narrow() {
        let wang = Person(name: "王小明王小明王", email: "w@x.cn", nationality: "CN", age: 5)
        #expect(
            render(peopleTable([people[0], wang]), width: 30, colour: false) == """
                Name        Email     Nat  Age
                Nichols, …  jennie.…  US    31
                王小明王…   w@x.cn    CN     5

                """)
    }

    @Test("If the columns of a table don't fit, records become blocks")
    func blocks() {
        #expect(
            render(peopleTable(people), width: 20, colour: false) == """
                Name   Nichols,
                       Jennie
                Email
                  jennie.nichols@
                  example.com
                Nat    US
                Age    31

                Name   王小明
                Email
                  wang@example.cn
                Nat    CN
                Age    5

                Name   Jose\u{301} 👩‍👩‍👧‍👦
                Email  \\u{1B}[2J
                Nat    🇩🇪
                Age    100

                """)
    }

    @Test("Without a terminal, no cell is cut, and columns still line up")
    func noTerminal() {
        let long = String(repeating: "x", count: 300)
        let table = peopleTable([
            people[0], Person(name: long, email: "l@example.com", nationality: "", age: 1),
        ])
        let blank = String(repeating: " ", count: 300)
        #expect(
            render(table, width: nil, colour: false) == """
                Name\(blank.dropLast(2))Email                       Nat  Age
                Nichols, Jennie\(blank.dropLast(13))jennie.nichols@example.com  US    31
                \(long)  l@example.com                      1

                """)
    }

    @Test("A name of 300 characters leaves the other columns readable")
    func longName() {
        let long = Person(
            name: String(repeating: "王", count: 300), email: "l@example.com", nationality: "US", age: 1)
        #expect(
            render(peopleTable([people[1], long]), width: 40, colour: false) == """
                Name               Email        Nat  Age
                王小明             wang@examp…  CN     5
                王王王王王王王王…  l@example.…  US     1

                """)
    }

    @Test("A long cell of a high priority does not cut other columns")
    func longCell() {
        let table = peopleTable([
            people[0],
            Person(
                name: String(repeating: "x", count: 60), email: "x@example.com", nationality: "DE", age: 100),
        ])
        #expect(
            render(table, width: 70, colour: false) == """
                Name                              Email                       Nat  Age
                Nichols, Jennie                   jennie.nichols@example.com  US    31
                xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…  x@example.com               DE   100

                """)
    }

    @Test("The longest of ten rows does not cut the other columns")
    func outlier() {
        let others = (0..<9).map {
            Person(name: "Nichols, \($0)", email: "jennie.nichols@example.com", nationality: "US", age: 31)
        }
        let long = Person(name: String(repeating: "x", count: 30), email: "", nationality: "", age: 1)
        #expect(
            render(peopleTable([long] + others), width: 60, colour: false).hasPrefix(
                """
                Name                    Email                       Nat  Age
                xxxxxxxxxxxxxxxxxxxxx…                                     1
                Nichols, 0              jennie.nichols@example.com  US    31

                """))
    }

    @Test("Columns of the same priority shrink to equal widths, and share the remainder")
    func equalWidths() {
        let table = Table(["abcdefghijklmnopqrstuvwxyz"]) {
            TableColumn("A") { Text($0) }
            TableColumn("B", minimum: 12) { Text(String($0.prefix(14))) }
            TableColumn("C") { Text($0) }
        }
        #expect(
            render(table, width: 37, colour: false) == """
                A            B             C
                abcdefghij…  abcdefghijk…  abcdefghi…

                """)
        #expect(
            render(table, width: 32, colour: false) == """
                A         B             C
                abcdefg…  abcdefghijk…  abcdefg…

                """)
    }

    @Test("Spare width goes to a column that needs it")
    func leftOver() {
        let table = Table(["abcdefghijklmnopqrstuvwxyz"]) {
            TableColumn("A") { Text(String($0.prefix(10))) }
            TableColumn("B") { Text($0) }
            TableColumn("C") { Text($0) }
        }
        #expect(
            render(table, width: 35, colour: false) == """
                A           B            C
                abcdefghij  abcdefghij…  abcdefghi…

                """)
    }

    @Test("The title of a column is never cut")
    func titles() {
        let table = Table(["abcdefghijklmnopqrstuvwxyz"]) {
            TableColumn("Registered on") { Text($0) }
            TableColumn("B", minimum: 1) { Text($0) }
        }
        #expect(
            render(table, width: 16, colour: false) == """
                Registered on  B
                abcdefghijkl…  …

                """)
    }

    @Test("Right-to-left cells are isolated only on a terminal")
    func rightToLeft() {
        let table = peopleTable([
            Person(name: "علی رضایی", email: "ali@example.ir", nationality: "IR", age: 44)
        ])
        #expect(
            render(table, width: 80, colour: false) == """
                Name       Email           Nat  Age
                \u{2068}علی رضایی\u{2069}  ali@example.ir  IR    44

                """)
        #expect(
            render(table, width: nil, colour: false) == """
                Name       Email           Nat  Age
                علی رضایی  ali@example.ir  IR    44

                """)
    }

    @Test("The colour is reset at the end of each cell")
    func colour() {
        #expect(
            render(peopleTable([people[1]]), width: 80, colour: true) == """
                \u{1B}[1mName\u{1B}[0m    \u{1B}[1mEmail\u{1B}[0m            \u{1B}[1mNat\u{1B}[0m  \u{1B}[1mAge\u{1B}[0m
                王小明  \u{1B}[2mwang@example.cn\u{1B}[0m  CN     5

                """)
    }

    @Test("A table without records has only headings, and a table without columns is empty")
    func nothing() {
        #expect(render(peopleTable([]), width: 80, colour: false) == "Name  Email  Nat  Age\n")
        #expect(render(Table(people) {}, width: 80, colour: false).allSatisfy { $0 == "\n" })
    }
}
