import CSQLite
import SQLite
import Testing

@Suite("Values")
struct ValueTests {
    @Test(
        "A bound value is read back unchanged",
        arguments: [
            .null, .integer(0), .integer(.max), .integer(.min), .real(0.1), .real(-.infinity),
            .real(.leastNonzeroMagnitude), .real(.greatestFiniteMagnitude), .text(""), .text("a\0b"),
            .text("\0"),
            .text("Ünïcødé 数 👩‍👩‍👧"), .text(String(repeating: "x", count: 100_000)), .blob([]), .blob([0]),
            .blob([0, 255, 0]), .blob(Array(repeating: 7, count: 100_000)),
        ] as [Value])
    func roundTrip(value: Value) throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (x)")
        try connection.run("INSERT INTO t VALUES (?)", [value])
        #expect(try connection.value("SELECT x FROM t") == value)
    }

    @Test("Swift's values are bound with their types")
    func bindable() throws {
        let connection = try memory()
        let values = [
            1.value, Int64(2).value, true.value, 0.5.value, "t".value, [UInt8(1)].value, String?.none.value,
            String?.some("s").value, Value.null.value,
        ]
        let types = values.map { value in try? connection.value("SELECT typeof(?)", [value]) }
        #expect(
            types
                == [
                    "integer", "integer", "integer", "real", "text", "blob", "null", "text", "null",
                ].map { .text($0) })
    }

    @Test("Not a number is NULL in SQL")
    func notANumber() throws {
        #expect(try memory().value("SELECT ?", [.real(.nan)]) == .null)
    }

    @Test("Text that is not UTF-8 is read with replacement characters")
    func invalidUTF8() throws {
        let connection = try memory()
        let sql = "SELECT CAST(x'61FF62' AS TEXT)"
        #expect(try connection.first(sql) { try $0.text(0) } == "a\u{FFFD}b")
        #expect(try connection.first(sql) { try $0.bytes(0) } == [0x61, 0xFF, 0x62])
    }

    @Test("Each column is read by its type")
    func typed() throws {
        let connection = try memory()
        try connection.forEach("SELECT 1, 'text', x'0102', NULL, 'more', NULL") { row in
            #expect(try row.int(0) == 1)
            #expect(try row.int64(0) == 1)
            #expect(try row.text(1) == "text")
            #expect(try row.bytes(1) == Array("text".utf8))
            #expect(try row.bytes(2) == [1, 2])
            #expect(row.isNull(3) && !row.isNull(0))
            #expect(try row.textOrNil(1) == "text")
            #expect(try row.textOrNil(3) == nil)
            var buffer: [UInt8] = [0]
            try row.appendUTF8(4, to: &buffer)
            #expect(buffer == [0] + Array("more".utf8))
        }
    }

    @Test("A value of an unexpected type is an error with the column's name, without the value")
    func mismatch() throws {
        let connection = try memory()
        let sql = "SELECT 'secret' AS name, NULL AS none, 1.5 AS real, 7 AS number, x'00' AS bytes"
        for (read, words) in [
            ({ _ = try $0.int(0) }, "column name is TEXT, not INTEGER"),
            ({ _ = try $0.int(1) }, "column none is NULL, not INTEGER"),
            ({ _ = try $0.text(1) }, "column none is NULL, not TEXT"),
            ({ _ = try $0.int(2) }, "column real is REAL, not INTEGER"),
            ({ _ = try $0.text(3) }, "column number is INTEGER, not TEXT"),
            ({ _ = try $0.textOrNil(4) }, "column bytes is BLOB, not TEXT"),
            ({ _ = try $0.bytes(3) }, "column number is INTEGER, not TEXT"),
            ({ _ = try $0.text(5) }, "column ? is NULL, not TEXT"),
            ({ _ = try $0.text(-1) }, "column ? is NULL, not TEXT"),
        ] as [((Row) throws -> Void, String)] {
            let error = error { try connection.forEach(sql, [], read) }
            #expect(error?.code == SQLITE_MISMATCH)
            #expect(error?.message == words)
            #expect(error?.sql == sql)
        }
    }
}
