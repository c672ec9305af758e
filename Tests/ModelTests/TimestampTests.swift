import FoundationEssentials
import Model
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test(
        "A time is read as milliseconds since 1970, and written in UTC with milliseconds",
        arguments: [
            ("1970-01-01T00:00:00.000Z", 0),
            ("1970-01-01T00:00:00.001Z", 1),
            ("1969-12-31T23:59:59.999Z", -1),
            ("1969-12-31T00:00:00.000Z", -86_400_000),
            ("0001-01-01T00:00:00.000Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("2000-02-29T12:00:00.000Z", 951_825_600_000),
            ("1900-03-01T00:00:00.000Z", -2_203_891_200_000),
            ("2024-02-29T23:59:59.999Z", 1_709_251_199_999),
            ("2024-03-01T00:00:00.000Z", 1_709_251_200_000),
            ("2026-01-02T03:04:05.678Z", 1_767_323_045_678),
        ] as [(String, Int64)])
    func known(text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test(
        "Times with an offset, or with a short or long fraction, are read as the same moment",
        arguments: [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
            ("2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.600Z"),
            ("2026-01-02T03:04:05.67Z", "2026-01-02T03:04:05.670Z"),
            ("2026-01-02T03:04:05.678999999Z", "2026-01-02T03:04:05.678Z"),
            ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z"),
            ("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.000Z"),
            ("2026-01-02T03:04:05.678+05:30", "2026-01-01T21:34:05.678Z"),
            ("2025-12-31T23:30:00-01:00", "2026-01-01T00:30:00.000Z"),
            ("2026-01-01T00:00:00+23:59", "2025-12-31T00:01:00.000Z"),
        ])
    func otherForms(text: String, canonical: String) {
        #expect(Timestamp(rfc3339: text)?.description == canonical)
    }

    @Test(
        "Text that is not an RFC 3339 time, or not a day of the calendar, is refused",
        arguments: [
            "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04Z", "2026-01-02 03:04:05Z",
            "2026-01-02t03:04:05Z", "2026-01-02T03:04:05z", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ",
            "2026-1-2T3:4:5Z", "+2026-01-02T03:04:05Z", "-001-01-02T03:04:05Z", "02026-01-02T03:04:05Z",
            "20260102T030405Z",
            "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z", "2026-01-32T03:04:05Z",
            "2026-04-31T03:04:05Z", "2026-02-29T03:04:05Z", "1900-02-29T03:04:05Z", "2100-02-29T03:04:05Z",
            "0000-01-01T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z", "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05+0530",
            "2026-01-02T03:04:05+05",
            "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+05:60", "2026-01-02T03:04:05ZZ",
            "2026-01-02T03:04:05.678", "２026-01-02T03:04:05Z", "2026-01-02T03:04:05Z\0",
        ])
    func refused(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("Every millisecond of the years 1 to 9999 is the same after writing and reading it")
    func noDrift() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<Volume.randomValues {
            let time = Timestamp(
                milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
            #expect(Timestamp(rfc3339: time.description) == time)
        }
    }

    @Test("Written times sort like the moments")
    func order() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<Volume.randomValues {
            let (a, b) = (
                Timestamp(
                    milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random)),
                Timestamp(
                    milliseconds: .random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
            )
            #expect((a < b) == (a.description < b.description))
        }
    }

    @Test("Each day from 1999 to 2101 has the right date")
    func calendar() {
        var (month, day) = (1, 1)
        var time = Timestamp(rfc3339: "1999-01-01T00:00:00Z") ?? Timestamp(milliseconds: 0)
        for year in 1999...2101 {
            let isLeap = year % 4 == 0 && year != 2100
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            month = 1
            for length in lengths {
                day = 1
                while day <= length {
                    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
                    #expect(time.description == "\(year)-\(two(month))-\(two(day))T00:00:00.000Z")
                    time = time + .seconds(86_400)
                    day += 1
                }
                month += 1
            }
        }
    }

    @Test(
        "A moment outside the years of RFC 3339 is written as the nearest moment within them",
        arguments: [
            (Int64.max, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000, "9999-12-31T23:59:59.999Z"),
            (Int64.min, "0001-01-01T00:00:00.000Z"), (-62_135_596_800_001, "0001-01-01T00:00:00.000Z"),
        ])
    func beyond(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("In JSON, a time is a text, and an invalid text is quoted in the error")
    func json() throws {
        let time = Timestamp(milliseconds: 1_767_323_045_678)
        #expect(
            String(decoding: try JSONEncoder().encode([time]), as: UTF8.self)
                == #"["2026-01-02T03:04:05.678Z"]"#)
        #expect(
            try JSONDecoder().decode([Timestamp].self, from: Data(#"["2026-01-02T03:04:05.678Z"]"#.utf8))
                == [time])
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Timestamp].self, from: Data(#"["yesterday"]"#.utf8))
        }
        #expect("\(try #require(error))".contains("yesterday"))
    }

    @Test("A date of Foundation is rounded to the nearest millisecond")
    func date() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1_767_323_045.6784)).milliseconds == 1_767_323_045_678)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.0006)).milliseconds == -1)
    }

    @Test("Durations add and subtract in whole milliseconds")
    func arithmetic() {
        let time = Timestamp(milliseconds: 1000)
        #expect(time + .microseconds(1999) == Timestamp(milliseconds: 1001))
        #expect(time + .seconds(-2) == Timestamp(milliseconds: -1000))
        #expect(time - Timestamp(milliseconds: 2500) == .milliseconds(-1500))
        #expect(Duration.milliseconds(1500).inSeconds == 1.5)
        #expect(Duration.milliseconds(-1500).milliseconds == -1500)
    }
}
