import StrictJSON
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct FieldReaderTests {
    private func fields(_ paths: [String], of records: String) throws -> [[String?]] {
        let reader = FieldReader(paths)
        let list = try JSONValue(validating: Array(records.utf8), maximumDepth: 8)
        var found: [[String?]] = []
        try reader.forEach(in: list) { record in
            found.append(
                record.fields.map { field in
                    record[field].map { String(decoding: $0.raw, as: UTF8.self) }
                })
        }
        // Each record is the same when it is read alone.
        #expect(
            list.elements?.map { element in
                let record = reader.read(element)
                return record.fields.map { record[$0].map { String(decoding: $0.raw, as: UTF8.self) } }
            } == found)
        return found
    }

    @Test func `members are found by their paths in any order`() throws {
        #expect(
            try fields(
                ["b", "a.x", "a.y.z", "a.x"],
                of:
                    #"[{"a":{"x":1,"y":{"z":"2"},"q":[{"x":3}]},"b":[4]},{"b":true,"a":{"y":{"z":{}},"x":-1}}]"#
            )
                == [["[4]", "1", "\"2\"", "1"], ["true", "-1", "{}", "-1"]])
    }

    @Test func `what a record lacks, or has as null, is not taken from the one before`() throws {
        #expect(
            try fields(
                ["a", "b.c"], of: #"[{"a":1,"b":{"c":2}},{},{"a":null,"b":{"c":null}},{"b":3},{"a":4}]"#)
                == [["1", "2"], [nil, nil], [nil, nil], [nil, nil], ["4", nil]])
    }

    @Test func `names may be written with escapes, and be long`() throws {
        #expect(
            try fields(
                ["address", "employee"],
                of: #"[{"\u0061ddress":1,"employer":2,"employee":3},{"addresses":4}]"#)
                == [["1", "3"], [nil, nil]])
    }

    @Test func `a list may have other things than records`() throws {
        #expect(
            try fields(["a"], of: #"[1,"a",[{"a":2}],null,{"a":3} , {}]"#) == [
                [nil], [nil], [nil], [nil], ["3"], [nil],
            ])
        #expect(try fields(["a"], of: "[]").isEmpty)
        try FieldReader(["a"]).forEach(in: JSONValue(trusting: Array(#"{"a":1}"#.utf8))) { _ in
            Issue.record("an object is no list")
        }
    }
}
