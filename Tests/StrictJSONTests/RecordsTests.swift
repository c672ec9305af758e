import StrictJSON
import Testing

@Suite("Records of a list of very many")
struct RecordsTests {
    private static let declared = JSONDeclaration.object([
        "id": .scalar, "name": .object(["first": .scalar, "last": .scalar]), "a name of many bytes": .scalar,
    ])
    private static let shape = RecordShape(declared)
    private static let (id, name, first) = (
        shape.place("id"), shape.place("name"), shape.place("name", "first")
    )

    private func list(_ text: String) throws -> JSONNode {
        let value = try JSONValue(validating: Array(text.utf8), maximumDepth: 8)
        let node = JSONNode(value, reading: .object(["list": .list(of: Self.declared)]))
        return try node.kind == .array ? node : node.object().required("list")
    }

    private func read<Result>(
        _ text: String, _ body: (JSONRecord) throws -> Result
    ) throws -> [Result] {
        let records = try list(text).records(reading: Self.shape)
        var results: [Result] = []
        try records.forEach(in: 0..<records.count) { record throws(FormatError) in
            do { results.append(try body(record)) } catch {
                guard let error = error as? FormatError else { fatalError("\(error)") }
                throw error
            }
        }
        if let excess = records.excess { throw excess }
        return results
    }

    private func failure<Result>(
        _ text: String, _ body: (JSONRecord) throws -> Result
    ) -> String? {
        do { _ = try read(text, body) } catch { return "\(error)" }
        return nil
    }

    /// Long enough for its elements to be noted where the text is validated.
    private static let filler = #","filler":"\#(String(repeating: "x", count: 5000))""#

    @Test(
        "Members are found where a list is short or long, with blanks around it, and lists in its records",
        arguments: ["", filler])
    func members(filler: String) throws {
        let records = """
            [ {"id":"1","tags":[{"id":"no"},[{}]],"name":{"first":"F","other":[{}]}} ,
            {"name":{"f\\u0069rst":"G\\n"},"secret":[],"id":2\(filler)},{"id":null,"name":[{"first":"no"}]}, {} ]
            """
        for text in [records, "  \n" + records, #" {"other":[{"id":9}],"list":\#(records),"more":[{}]}"#] {
            let found = try read(text) { record in
                [try record.textOrInteger(Self.id), try record.text(Self.first)]
            }
            #expect(found == [["1", "F"], ["2", "G\n"], [nil, nil], [nil, nil]])
        }
    }

    @Test("Elements need be no objects", arguments: ["", filler])
    func others(filler: String) throws {
        let kinds = try read(#"[1,{"id":2\#(filler)},[],"x"]"#) { $0.raw.kind }
        #expect(kinds == [.number, .object, .array, .string])
    }

    @Test("An error tells the path to its value", arguments: ["", filler])
    func paths(filler: String) throws {
        func failure(_ record: String, _ body: (JSONRecord) throws -> Void) -> String? {
            self.failure(#" {"before":[{}],"list":[{"id":"1"\#(filler)},\#(record)]}"#) {
                record in
                if record[Self.id]?.string == "1" { return }
                try body(record)
            }
        }
        #expect(
            failure(#"{"name":{"first":7}}"#) { _ = try $0.text(Self.first) }
                == "list[1].name.first: expected a string, found a number")
        #expect(
            failure(#"{"name":[]}"#) { _ = try $0.object(Self.name) }
                == "list[1].name: expected an object, found a list")
        #expect(
            failure(#"{"id":1.5}"#) { _ = try $0.textOrInteger(Self.id) }
                == "list[1].id: expected a string or an integer, found a number")
        #expect(
            failure("[]") { throw $0.mistyped("an object") } == "list[1]: expected an object, found a list")
        #expect(
            failure(#"{"name":{}}"#) { record in
                guard let name = try record.object(Self.name) else { return }
                throw record.lacks("first", at: Self.first, of: name)
            } == "list[1].name.first: missing")
        #expect(
            failure(#"{"id":null}"#) { throw $0.lacks("id", at: Self.id, of: $0.raw) } == "list[1].id: null")
        let long = String(repeating: "x", count: FormatLimits.textBytes + 1)
        #expect(
            failure(#"{"id":"\#(long)"}"#) { _ = try $0.text(Self.id) }
                == "list[1].id: longer than 65536 bytes")
    }

    @Test("A list or a record of too many is refused, after what is wrong with the records before")
    func limits() throws {
        let members = (0..<1001).map { "\"m\($0)\":0" }.joined(separator: ",")
        #expect(failure("[{},{\(members)}]") { _ in } == "[1]: more than 1000 members")
        #expect(failure(#"[{"name":{\#(members)}}]"#) { _ in } == "[0].name: more than 1000 members")
        let many = "[" + String(repeating: "{},", count: 100_000)
        #expect(try read(many.dropLast() + "]") { _ in }.count == 100_000)
        #expect(failure(many + "{}]") { _ in } == "more than 100000 records")
        #expect(failure(many + "{},{},{}]") { _ in } == "more than 100000 records")
        #expect(failure(many + "{}]") { throw $0.error("first") } == "[0]: first")
        #expect(failure(#"{"list":{}}"#) { _ in } == "list: expected a list, found an object")
    }
}
