import StrictJSON
import Testing

@Suite("Values that pointers lead to")
struct RecordReaderTests {
    private func read(_ paths: [[String]], _ text: String) throws -> [String?] {
        var reader = RecordReader()
        let slots = paths.map { reader.add(Pointer(path: $0)) }
        let record = reader.read(try JSONValue(upstream: Array(text.utf8)))
        return slots.map { record[$0].map { String(decoding: $0.raw, as: UTF8.self) } }
    }

    @Test("Pointers find members in any order and depth, and names with escapes")
    func members() throws {
        let text = #"""
             {"place" : {"at":{"y":2,"z":{"y":9},"x":1}, "name":"here"}, "other":[{"id":8}],
            "na\u006de":{"last":"L","first":"F","id":7}, "id":null, "\u0062":"b", "\\u0062":"backslash" }
            """#
        #expect(
            try read(
                [
                    ["name", "first"], ["name", "last"], ["place", "at", "x"], ["place", "at"], ["id"],
                    ["other", "0", "id"], ["b"], ["\\u0062"], ["first"],
                ], text) == [
                    #""F""#, #""L""#, "1", #"{"y":2,"z":{"y":9},"x":1}"#, "null", "8", #""b""#,
                    #""backslash""#,
                    nil,
                ])
    }

    @Test("Pointers use only the last of several members with equal names")
    func equalNames() throws {
        #expect(
            try read(
                [["name", "first"], ["name", "last"]], #"{"name":{"first":1,"last":2},"name":{"last":3}}"#)
                == [nil, "3"])
    }

    @Test("Pointers find nothing of the previous record")
    func reused() throws {
        var reader = RecordReader()
        let slot = reader.add(Pointer(path: ["a", "b"]))
        var found: [Int64?] = []
        let list = try JSONValue(
            validating: Array(#"[{"a":{"b":1}},{"a":2},7,{"a":{"b":3}}]"#.utf8), maximumDepth: 8)
        var record = JSONRecord(list)
        list.forEachElement { element in
            reader.read(element, into: &record)
            found.append(record[slot]?.int)
        }
        #expect(found == [1, nil, nil, 3])
    }
}
