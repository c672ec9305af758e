import StrictJSON
import Testing

@Suite("What of a document is read")
struct NodeTests {
    private static let person = JSONDeclaration.object([
        "id": .scalar, "a long name of a member": .scalar, "a long name of another": .scalar,
        "name": .object(["first": .scalar, "last": .scalar]),
        "place": .object(["name": .scalar, "at": .object(["x": .scalar, "y": .scalar])]),
        "tags": .list(of: .object(["t": .scalar])), "\\u0062": .scalar,
    ])

    private func node(_ text: String, _ declared: JSONDeclaration?) throws -> JSONNode {
        JSONNode(try JSONValue(validating: Array(text.utf8), maximumDepth: 32), reading: declared)
    }

    private func failure(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return "\(error)" }
        return nil
    }

    @Test(
        "Members are found in any order and depth, by names with escapes, too; what is not declared is absent"
    )
    func members() throws {
        let text = #"""
             {"place" : {"at":{"y":2,"z":{"y":9},"x":1}, "name":"here"}, "secret":{"first":"no"} ,"other":[{"id":8}],
            "na\u006de":{"last":"L","first":"F\n","id":7},"a long name of another":"b","a long name of a member":"a",
            "tags":[{"t":1,"u":2},{"t":3}],"id":null,"\u0062":"b","\\u0062":"backslash" }
            """#
        let top = try node(text, Self.person).object()
        #expect(try top.text("a long name of a member") == "a")
        #expect(try top.text("a long name of another") == "b")
        #expect(try top.text("\\u0062") == "backslash")
        #expect(top["secret"] == nil && top["other"] == nil && top["id"] == nil && top["last"] == nil)
        let name = try #require(try top.object("name"))
        #expect(try [name.text("first"), name.text("last")] == ["F\n", "L"])
        #expect(name["id"] == nil)
        let at = try #require(try top.object("place")?.object("at"))
        #expect(at["x"]?.value.int == 1 && at["y"]?.value.int == 2 && at["z"] == nil)
        let tags = try #require(try top["tags"]?.list())
        #expect(try tags.map { try $0.object()["t"]?.value.int } == [1, 3])
        #expect(try tags[0].object()["u"] == nil)
    }

    @Test("Elements that are kept keep their own members")
    func kept() throws {
        let list = try node(#"[{"id":1},{},"x",{"id":2}]"#, .list(of: Self.person)).list()
        #expect(
            try list.map { $0.kind == .object ? try $0.object()["id"]?.value.int : nil } == [1, nil, nil, 2])
        var seen: [Int64?] = []
        try node(#"[{"id":1},{},{"id":2}]"#, .list(of: Self.person)).forEach { element throws(FormatError) in
            seen.append(try element.object()["id"]?.value.int)
        }
        #expect(seen == [1, nil, 2])
    }

    @Test("An error tells the path to its value", arguments: [true, false])
    func paths(isDeclared: Bool) throws {
        let declared = isDeclared ? JSONDeclaration.object(["list": .list(of: Self.person)]) : nil
        let text =
            #"  {"a":[[],{"id":"]"}],"list":[{"name":{"first":3}},{"place":{"at":[]}},{"name":null},{"tags":[{}]}]}"#
        let list = try node(text, declared).object().required("list").list()
        #expect(
            failure { _ = try list[0].object().object("name")?.text("first") }
                == "list[0].name.first: expected a string, found a number")
        #expect(
            failure {
                _ = try list[0].object().required("name").object().required("last")
            }
                == "list[0].name.last: missing")
        #expect(
            failure { _ = try list[1].object().object("place")?.object("at") }
                == "list[1].place.at: expected an object, found a list")
        #expect(
            failure { _ = try list[2].object().required("name") }
                == "list[2].name: null")
        #expect(
            failure {
                _ = try list[3].object()["tags"]?.list()[0].object().required("t")
            }
                == "list[3].tags[0].t: missing")
        #expect(
            failure { _ = try node("7", declared).object() }
                == "expected an object, found a number")
    }

    @Test("An object of too many members is refused, also within another")
    func limit() throws {
        func members(_ count: Int) -> String { (0..<count).map { "\"m\($0)\":0" }.joined(separator: ",") }
        _ = try node("{\(members(1000))}", Self.person).object()
        #expect(
            failure { _ = try node("{\(members(1001))}", nil).object() }
                == "more than 1000 members")
        let list = try node("[{},{\(members(1001))}]", .list(of: Self.person))
        #expect(failure { _ = try list.list() } == "[1]: more than 1000 members")
        let nested = try node("{\"name\":{\(members(1001))}}", Self.person)
        #expect(
            failure { _ = try nested.object() } == "name: more than 1000 members")
        let many = try node("[" + String(repeating: "0,", count: 100_000) + "0]", nil)
        #expect(failure { _ = try many.list() } == "more than 100000 records")
        let three = try node("[1,2,3]", nil)
        #expect(
            failure { _ = try three.list(upTo: 2, of: "things") }
                == "more than 2 things")
    }

    @Test("A member is looked for by its unescaped name, and found without reading on")
    func lookup() throws {
        let value = try JSONValue(
            validating: Array(#"{"\u0061":{"b":[1]},"c\"":2,"d":3}"#.utf8), maximumDepth: 8)
        #expect(value["a"]?["b"]?.elements?.count == 1)
        #expect(value["c\""]?.int == 2 && value["\\u0061"] == nil && value["e"] == nil)
        #expect(value.has("a") && value.has("d") && !value.has("b"))
        #expect(try !JSONValue(validating: Array("[\"a\"]".utf8), maximumDepth: 8).has("a"))
        var names: [String] = []
        value.forEachMember { name, _ in names.append(String(decoding: name, as: UTF8.self)) }
        #expect(names == ["a", "c\"", "d"])
    }
}
