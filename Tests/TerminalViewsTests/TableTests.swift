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
        TableColumn("Name", rank: .name) { Text($0.name) }
        TableColumn("Email", rank: .whole) { Text($0.email).style(.secondary) }
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

    @Test("The columns at the right are left out until name and address fit")
    func narrower() {
        #expect(
            render(peopleTable(people), width: 52, colour: false) == """
                Name             Email                       Nat
                Nichols, Jennie  jennie.nichols@example.com  US
                王小明           wang@example.cn             CN
                Jose\u{301} 👩‍👩‍👧‍👦          \\u{1B}[2J                   🇩🇪

                """)
    }

    @Test("A name is cut only once the other columns are left out, between characters")
    func narrow() {
        let wang = Person(
            name: "王小明王小明王小明", email: "wang.xiao-ming@example.com", nationality: "CN", age: 5)
        #expect(
            render(peopleTable([people[0], wang]), width: 43, colour: false) == """
                Name             Email
                Nichols, Jennie  jennie.nichols@example.com
                王小明王小明王…  wang.xiao-ming@example.com

                """)
    }

    @Test(
        "An address that is longer than nine of ten, or of few rows much longer, is whole on a line of its own"
    )
    func wholeAddress() {
        let long = Person(
            name: "Ng", email: "maximilian.von-hohenstein@berlin.example-firmen.com", nationality: "DE",
            age: 7)
        #expect(
            render(peopleTable([people[0], long, people[1]]), width: 53, colour: false) == """
                Name             Email                       Nat  Age
                Nichols, Jennie  jennie.nichols@example.com  US    31
                Ng                                           DE     7
                  maximilian.von-hohenstein@berlin.example-firmen.com
                王小明           wang@example.cn             CN     5

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

    @Test("A name of 300 characters leaves the other columns whole")
    func longName() {
        let long = Person(
            name: String(repeating: "王", count: 300), email: "l@example.com", nationality: "US", age: 1)
        #expect(
            render(peopleTable([people[1], long]), width: 53, colour: false) == """
                Name                        Email            Nat  Age
                王小明                      wang@example.cn  CN     5
                王王王王王王王王王王王王…   l@example.com    US     1

                """)
    }

    @Test("The longest of ten rows leaves out no other column")
    func outlier() {
        let others = (0..<9).map {
            Person(name: "Nichols, \($0)", email: "jennie.nichols@example.com", nationality: "US", age: 31)
        }
        let long = Person(name: String(repeating: "x", count: 60), email: "", nationality: "", age: 1)
        #expect(
            render(peopleTable([long] + others), width: 70, colour: false).hasPrefix(
                """
                Name                              Email                       Nat  Age
                xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…                                     1
                Nichols, 0                        jennie.nichols@example.com  US    31

                """))
    }

    @Test("Columns without an address are cut to 16 cells before one of them is left out")
    func extras() {
        let table = Table(["abcdefghijklmnopqrstuvwxyz"]) {
            TableColumn("A") { Text($0) }
            TableColumn("B") { Text(String($0.prefix(14))) }
            TableColumn("C") { Text($0) }
        }
        #expect(
            render(table, width: 50, colour: false) == """
                A                 B               C
                abcdefghijklmno…  abcdefghijklmn  abcdefghijklmno…

                """)
        #expect(
            render(table, width: 49, colour: false) == """
                A                           B
                abcdefghijklmnopqrstuvwxyz  abcdefghijklmn

                """)
    }

    @Test("Columns that were asked for are on further lines of their row, and no cell is cut")
    func asked() {
        let headings = ["Name", "Email", "City"].map { TableHeading($0, rank: .name, isAsked: true) }
        let rows = [
            ["Nichols, Jennie", "jennie.nichols@example.com", "Rome"], ["王小明", "wang@example.cn", ""],
        ]
        let table = Table(headings, cells: rows.map { $0.map { Text($0) } })
        #expect(
            render(table, width: 48, colour: false) == """
                Name             Email
                  City
                Nichols, Jennie  jennie.nichols@example.com
                  Rome
                王小明           wang@example.cn

                """)
        #expect(render(table, width: 42, colour: false).hasPrefix("Name   Nichols, Jennie\n"))
    }

    @Test("A message is in the last column if it fits there, else on a line below")
    func message() {
        let table = Table(["short", "a message of several words"]) {
            TableColumn("#", rank: .whole) { _ in Text("17") }
            TableColumn("Message", rank: .message) { Text($0) }
        }
        #expect(
            render(table, width: 20, colour: false) == """
                #   Message
                17  short
                17
                  a message of
                  several words

                """)
        #expect(
            render(table, width: 10, colour: false)
                == "#\n17\n  short\n17\n  a\n  message\n  of\n  several\n  words\n")
    }

    @Test("The title of a column is never cut")
    func titles() {
        let table = Table(["abcdefghijklmnopqrstuvwxyz"]) {
            TableColumn("A name as it is registered", rank: .name) { _ in Text("Ng") }
            TableColumn("B") { Text($0) }
        }
        #expect(render(table, width: 28, colour: false) == "A name as it is registered\nNg\n")
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
