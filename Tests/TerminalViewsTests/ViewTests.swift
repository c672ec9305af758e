import TerminalViews
import Testing

/// A user's card, composed like the views of commands.
private struct UserCard: View {
    let name: String
    let phone: String?

    var body: some View {
        Card(name) {
            Fields {
                Field("Email", Text("jennie.nichols@example.com").style(.good))
                Field("Phone", phone)
                Field("Address", "123 Some Street, Billings, Montana 92834, United States")
            }
            if phone == nil {
                Text("Nobody has a phone.")
            } else {
                Spacer()
                for count in 1...2 { Text(counted(count, "phone")) }
            }
        }
    }
}

struct ViewTests {
    @Test("A card indents its content below the title, and lines up the values")
    func card() {
        #expect(
            render(UserCard(name: "Jennie Nichols", phone: "555-0100"), width: 80, colour: false) == """
                Jennie Nichols
                  Email    jennie.nichols@example.com
                  Phone    555-0100
                  Address  123 Some Street, Billings, Montana 92834, United States

                  1 phone
                  2 phones

                """)
    }

    @Test("A field without a value is left out, and long values wrap in their column")
    func wrappedCard() {
        #expect(
            render(UserCard(name: "Jennie Nichols", phone: nil), width: 30, colour: false) == """
                Jennie Nichols
                  Email
                    jennie.nichols@example.com
                  Address  123 Some Street,
                           Billings, Montana
                           92834, United
                           States
                  Nobody has a phone.

                """)
    }

    @Test("If a column of values has no room, each value is below its label")
    func stackedFields() {
        let fields = Fields {
            Field("Nationality", "United States")
            Field("Age", "31")
        }
        #expect(
            render(fields, width: 16, colour: false) == """
                Nationality
                  United States
                Age          31

                """)
    }

    @Test("A text wraps at blanks, and inside a word that is wider than a line")
    func wrapping() {
        #expect(
            render(Text("Cats sleep  16 hours; aaaaaaaaaaaaaaa 猫猫猫猫猫猫"), width: 10, colour: false)
                == """
                Cats sleep
                16 hours;
                aaaaaaaaaa
                aaaaa
                猫猫猫猫猫
                猫

                """)
    }

    @Test("A word that is wider than a line is broken after a sign, if that fills half of the line")
    func signs() {
        #expect(
            render(Text("maximilian.von-hohenstein@berlin.example.com"), width: 28, colour: false) == """
                maximilian.von-hohenstein@
                berlin.example.com

                """)
        #expect(render(Text("a.bcdefghijklmno"), width: 10, colour: false) == "a.bcdefghi\njklmno\n")
    }

    @Test("A value that would be broken within a word is below its label, indented if there is room")
    func wholeWords() {
        let fields = Fields {
            Field("Email", "anna@example.com (work)")
            Field("Street", "8 Storgatan")
        }
        #expect(
            render(fields, width: 20, colour: false) == """
                Email
                  anna@example.com
                  (work)
                Street  8 Storgatan

                """)
        #expect(
            render(fields, width: 17, colour: false) == """
                Email
                 anna@example.com
                 (work)
                Street  8
                        Storgatan

                """)
        #expect(
            render(fields, width: 15, colour: false) == """
                Email
                 anna@example.
                 com (work)
                Street
                 8 Storgatan

                """)
    }

    @Test("Without a width, a text is one line")
    func oneLine() {
        let text = String(repeating: "A cat sleeps. ", count: 20) + "End"
        #expect(render(Text(text), width: nil, colour: false) == text + "\n")
        #expect(render(Text(text).truncated(), width: nil, colour: false) == text + "\n")
    }

    @Test("A truncated text ends in an ellipsis")
    func truncated() {
        #expect(render(Text("王小明王小明").truncated(), width: 10, colour: false) == "王小明王…\n")
        #expect(render(Text("王小明王小").truncated(), width: 10, colour: false) == "王小明王小\n")
    }

    @Test("A single character that is wider than a line is broken")
    func endlessCharacter() {
        #expect(
            render(Text(String(repeating: "\u{1100}", count: 7)), width: 8, colour: false)
                == "\u{1100}\u{1100}\u{1100}\u{1100}\n\u{1100}\u{1100}\u{1100}\n")
        #expect(render(Text("猫").frame(width: 1), width: 8, colour: false) == "猫\n")
    }

    @Test("Terminals narrower than eight cells count as eight cells wide")
    func tooNarrow() {
        #expect(render(Text("Cats sleep"), width: 0, colour: false) == "Cats\nsleep\n")
        #expect(render(Text("12345678"), width: -1, colour: false) == "12345678\n")
    }

    @Test("A spacer in a row takes the remaining room")
    func row() {
        let row = Row {
            Text("users").style(.title)
            Text("loaded").style(.good).frame(width: 8)
            Spacer()
            Text("3 min ago").style(.secondary).frame(width: 10, alignment: .trailing)
        }
        #expect(
            render(row, width: 50, colour: true) == """
                \u{1B}[1musers\u{1B}[0m  \u{1B}[32mloaded\u{1B}[0m                            \u{1B}[2m3 min ago\u{1B}[0m

                """)
        #expect(render(row, width: nil, colour: false) == "users  loaded       3 min ago\n")
        #expect(render(row, width: 20, colour: false) == "users\nloaded\n 3 min ago\n")
    }

    @Test("The widest views of a row wrap side by side")
    func wrappedRow() {
        let row = Row(spacing: 1) {
            Text("12:00:03")
            Text("no route to upstream")
        }
        #expect(
            render(row, width: 20, colour: false) == """
                12:00:03 no route to
                         upstream

                """)
    }

    @Test("Each style has a colour, which is reset at the end of each line, and none if colour is off")
    func styles() {
        let column = Column {
            Text("plain")
            Text("title").style(.title)
            Text("secondary").style(.secondary)
            Text("good").style(.good)
            Text("warning").style(.warning)
            Text("bad, and wrapped").style(.bad)
        }
        #expect(
            render(column, width: 10, colour: true) == """
                plain
                \u{1B}[1mtitle\u{1B}[0m
                \u{1B}[2msecondary\u{1B}[0m
                \u{1B}[32mgood\u{1B}[0m
                \u{1B}[33mwarning\u{1B}[0m
                \u{1B}[31mbad, and\u{1B}[0m
                \u{1B}[31mwrapped\u{1B}[0m

                """)
        #expect(!render(column, width: 10, colour: false).contains("\u{1B}"))
    }

    @Test("Blanks at the end of a line are removed, with or without a style")
    func trailingBlanks() {
        let column = Column {
            Text("a \u{A0}\u{3000} ").style(.good)
            Text("   ").style(.bad)
            Row {
                Text("b")
                Text(" ")
            }
        }
        #expect(render(column, width: 20, colour: true) == "\u{1B}[32ma\u{1B}[0m\n\nb\n")
    }

    @Test("Each line of a wrapped right-to-left text is isolated separately")
    func rightToLeft() {
        #expect(
            render(Text("علی رضایی تهران"), width: 10, colour: true)
                == "\u{2068}علی رضایی\u{2069}\n\u{2068}تهران\u{2069}\n")
        #expect(render(Text("שלום 你好"), width: 20, colour: false) == "\u{2068}שלום 你好\u{2069}\n")
        #expect(render(Text("Дмитрий 你好"), width: 20, colour: false) == "Дмитрий 你好\n")
    }

    @Test("Views without content have no lines")
    func nothing() {
        #expect(render(Column {}, width: 80, colour: true) == "")
        #expect(render(Row {}, width: 80, colour: true) == "")
        #expect(render(Fields {}, width: 80, colour: true) == "")
    }
}

struct PageTests {
    @Test("A page has blank lines between its parts, and a footer")
    func page() {
        let page = Column(spacing: 1) {
            Text("one")
            Column {}
            Text("two")
            Text("2 of 100,000 users").style(.secondary)
        }
        #expect(
            render(page, width: 40, colour: true) == "one\n\ntwo\n\n\u{1B}[2m2 of 100,000 users\u{1B}[0m\n")
        #expect(render(Column(spacing: 1) { Text("one") }, width: 40, colour: true) == "one\n")
    }

    @Test("A notice about an error says what happened and what to do")
    func error() {
        let page = Column {
            Text("users: no route to\nhost").style(.bad)
            Text("Try again: userctl retry users")
        }
        #expect(
            render(page, width: 40, colour: true) == """
                \u{1B}[31musers: no route to\\u{A}host\u{1B}[0m
                Try again: userctl retry users

                """)
    }

    @Test("A notice instead of content has advice if there is any")
    func withoutContent() {
        #expect(
            render(Text("Fetching users…").style(.secondary), width: 40, colour: true)
                == "\u{1B}[2mFetching users…\u{1B}[0m\n")
        let page = Column {
            Text("No users.").style(.title)
            Text("Upstream has none.")
        }
        #expect(
            render(page, width: 40, colour: true)
                == "\u{1B}[1mNo users.\u{1B}[0m\nUpstream has none.\n")
    }
}
