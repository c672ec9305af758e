import Model
import StrictJSON
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct CSVTests {
    private func csv(_ paths: [String], _ records: String..., to destination: Destination = .file) throws
        -> String
    {
        let csv = CSV(paths, destination: destination)
        var bytes = csv.header
        for record in records {
            let record = try JSONValue(validating: Array(record.utf8), maximumDepth: 8)
            csv.row(csv.reader.read(record), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a header, then a line for each record`() throws {
        #expect(
            try csv(["id", "age"], #"{"id":"1","age":33}"#, #"{"age":4,"id":"2"}"#)
                == "id,age\r\n1,33\r\n2,4\r\n")
    }

    @Test func `separators are quoted, and quotation marks doubled`() throws {
        #expect(
            try csv(["a", "b", "c", "d"], #"{"a":"x,y","b":"say \"hi\"","c":"1\n2","d":"1\r2"}"#)
                == "a,b,c,d\r\n\"x,y\",\"say \"\"hi\"\"\",\"1\n2\",\"1\r2\"\r\n")
    }

    @Test(arguments: 1...20)
    func `what has to be quoted or replaced is found at any place of a text`(length: Int) throws {
        for place in 0..<length {
            var text = Array(repeating: "é", count: length)
            #expect(try csv(["a"], #"{"a":"\#(text.joined())"}"#) == "a\r\n\(text.joined())\r\n")
            for (written, field) in [(",", ","), (#"\""#, "\"\""), (#"\n"#, "\n")] {
                text[place] = field
                let quoted = "\"\(text.joined())\""
                text[place] = written
                #expect(try csv(["a"], #"{"a":"\#(text.joined())"}"#) == "a\r\n\(quoted)\r\n")
            }
            for control in ["\u{7F}", "\u{9B}"] {
                text[place] = control
                let replaced = text.joined().replacing(control, with: "\u{FFFD}")
                #expect(try csv(["a"], #"{"a":"\#(text.joined())"}"#) == "a\r\n\(replaced)\r\n")
            }
        }
    }

    @Test func `null and missing members are empty fields, an empty text is quoted`() throws {
        #expect(try csv(["a", "b", "c"], #"{"a":null,"c":""}"#) == "a,b,c\r\n,,\"\"\r\n")
    }

    @Test func `nested members have joined names, and numbers stay as written`() throws {
        #expect(
            try csv(
                ["name.first", "at.x.y", "is"], #"{"name":{"first":"A"},"at":{"x":{"y":1.50e3}},"is":true}"#)
                == "name_first,at_x_y,is\r\nA,1.50e3,true\r\n")
    }

    @Test func `several addresses or telephones are one field, with their kinds`() throws {
        #expect(
            try csv(
                ["emails", "phones", "manager.name"],
                #"{"emails":[{"value":"a@b","kind":"work"},{"value":"c@d","kind":null}],"phones":[],"manager":{"name":"M"}}"#
            )
                == "emails,phones,manager_name\r\na@b (work); c@d,\"\",M\r\n")
    }

    @Test func `spreadsheet formulas are not escaped`() throws {
        #expect(try csv(["a", "b"], #"{"a":"=1+1","b":"+49 30 1"}"#) == "a,b\r\n=1+1,+49 30 1\r\n")
    }

    @Test
    func `control characters have no place in a file, a terminal gets them escaped, each record on one line`()
        throws
    {
        let record = #"{"a":"\u001b[31m\u202e","b":"1\r\n2"}"#
        #expect(try csv(["a", "b"], record) == "a,b\r\n\u{FFFD}[31m\u{202E},\"1\r\n2\"\r\n")
        #expect(
            try csv(["a", "b"], #"{"a":"1\u0000\u007f\u009b\u00a0\u0085é","b":"\t"}"#)
                == "a,b\r\n1\u{FFFD}\u{FFFD}\u{FFFD}\u{A0}\u{FFFD}é,\t\r\n")
        #expect(
            try csv(["a", "b"], record, to: .terminal)
                == #"""
                a,b
                \u{1B}[31m\u{202E},1\u{D}\u{A}2

                """#)
    }

    @Test func `the columns are all members of the protocol's records`() throws {
        var user = User.samples[0]
        user.address.state = "x"
        let failure = Failure(kind: .http, message: "m", retryable: true, httpStatus: 503)
        let state = State(
            epoch: "e", index: 1, resource: .users, phase: .error, since: noon, cause: .failed, count: 1,
            syncedAt: noon, stale: true, nextSyncAt: noon, progress: Progress(done: 1, total: 2),
            failure: failure)
        let fact = Fact(id: "1", text: "t", length: 1, firstSeenAt: noon)
        #expect(try names(in: user).isSubset(of: CSVColumns.user))
        #expect(Set(UserField.all.map { $0.object ?? $0.name }) == Set(User.members))
        #expect(try names(in: fact) == Set(CSVColumns.fact))
        #expect(try names(in: state) == Set(CSVColumns.state))
    }

    /// The paths of all members.
    private func names(in record: some Encodable) throws -> Set<String> {
        func names(_ value: JSONValue) -> [String] {
            (value.members ?? []).flatMap { name, value in
                value.kind == .object ? names(value).map { "\(name).\($0)" } : [name]
            }
        }
        return Set(names(try JSONValue(validating: try encoded(record), maximumDepth: 8)))
    }
}

@Suite struct MuttTests {
    private func line(_ user: User, to destination: Destination = .file) -> String {
        String(decoding: Array(Mutt.lines(user, destination).joined()), as: UTF8.self)
    }

    private func user(_ email: String?, first: String = "A", last: String = "B", city: String? = nil) -> User
    {
        User(id: "1", name: .init(first: first, last: last)) {
            $0.email = email
            $0.address.city = city
        }
    }

    @Test func `an address, a name and a place, separated by tabs`() {
        #expect(line(anna) == "anna@example.com\tAnna Bergström\tMalmö, Sweden\n")
        #expect(line(wei) == "wei@example.com\t王 伟\t\n")
        #expect(line(user("a@b", first: "", city: "C")) == "a@b\tB\tC\n")
    }

    @Test func `each address has a line`() {
        var user = user("a@b")
        user.emails = [.init(value: "c@d", kind: "home"), .init(value: "a@b"), .init(value: "not one")]
        #expect(line(user) == "a@b\tA B\t\nc@d\tA B\t\n")
    }

    @Test func `the first line counts the others`() {
        #expect(String(decoding: Mutt.head(1), as: UTF8.self) == "1 address found\n")
        #expect(String(decoding: Mutt.head(5000), as: UTF8.self) == "5,000 addresses found\n")
    }

    @Test(arguments: [
        nil, "", "a b@c", "a@b\n", "a@b\tc", "a@\u{1B}b", "a@b\u{2028}c", "a\u{A0}@b", "a@b,c@d", "file:///a",
    ])
    func `users without a valid address are left out`(email: String?) {
        #expect(line(user(email)) == "")
    }

    @Test func `line ends and tabs in a name are replaced`() {
        #expect(
            line(user("a@b", first: "A\r\nx@y\tz", last: "\u{85}\u{2028}\u{2029}B\u{0}", city: "C\tD"))
                == "a@b\tA  x@y z    B \tC D\n")
    }

    @Test func `a terminal gets no control characters, not even tabs`() {
        #expect(
            line(user("a@b", first: "A\u{1B}[2J", last: "\u{202E}B", city: "C"), to: .terminal)
                == "a@b  A [2J \\u{202E}B  C\n")
    }
}
