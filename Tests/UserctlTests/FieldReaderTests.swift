import CommandSupport
import StrictJSON
import Testing
import UserRecords

@Suite struct FieldReaderTests {
    private func fields(_ names: [String], of records: String) throws -> [[String?]] {
        let reader = FieldReader(names)
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

    @Test func `members are found by name in any order, nested ones by joined names`() throws {
        #expect(
            try fields(
                ["b", "a_x", "a_y_z", "a_x"],
                of:
                    #"[{"a":{"x":1,"y":{"z":"2"},"q":[{"x":3}]},"b":[4]},{"b":true,"a":{"y":{"z":{}},"x":-1}}]"#
            )
                == [["[4]", "1", "\"2\"", "1"], ["true", "-1", "{}", "-1"]])
    }

    @Test func `what a record lacks, or has as null, is not taken from the one before`() throws {
        #expect(
            try fields(
                ["a", "b_c"], of: #"[{"a":1,"b":{"c":2}},{},{"a":null,"b":{"c":null}},{"b":3},{"a":4}]"#)
                == [["1", "2"], [nil, nil], [nil, nil], [nil, nil], ["4", nil]])
    }

    @Test func `an underscore is a part of a name, or stands between two`() throws {
        #expect(
            try fields(["x_y_z"], of: #"[{"x_y_z":1},{"x":{"y_z":2}},{"x_y":{"z":3}},{"x":{"y":{"z":4}}}]"#)
                == [["1"], ["2"], ["3"], ["4"]])
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
