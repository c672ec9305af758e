extension Timestamp {
    /// Milliseconds of the years 1 to 9999, the range of RFC 3339.
    private static let writable: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
    private static let millisecondsADay: Int64 = 86_400_000

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fff](Z|±HH:MM)`; digits after the third of a fraction are dropped. Nil for any
    /// other text, and for dates and times that do not exist.
    package init?(rfc3339 text: String) {
        var text = text
        guard let time = text.withUTF8({ Timestamp(rfc3339: $0) }) else { return nil }
        self = time
    }

    private init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("T"),
            let hour = reader.number(2), reader.take(":"), let minute = reader.number(2), reader.take(":"),
            let second = reader.number(2), second <= 59, let thousandths = reader.fraction(),
            let offset = reader.offset(), reader.isAtEnd,
            let utc = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(milliseconds: utc.milliseconds + thousandths - offset * 60_000)
    }

    /// A Gregorian date in UTC; nil for one that does not exist. A leap second becomes the next second.
    package init?(year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64) {
        guard year >= 1, 1...12 ~= month, 1...31 ~= day, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let days = Self.days(before: year, month, day)
        // Otherwise the 30th of February would be a day in March.
        guard Self.date(days).day == day else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        self.init(milliseconds: seconds * 1000)
    }

    // Algorithms of https://howardhinnant.github.io/date_algorithms.html: years begin in March, so that a leap day
    // comes last, and are grouped into eras of 400.

    /// Days from 1970-01-01.
    private static func days(before year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = (monthFromMarch + 2) % 12 + 1
        return (
            era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}

extension Timestamp: CustomStringConvertible {
    /// Times outside of the years 1 to 9999 are clamped, so that the text can always be read back.
    package var description: String {
        let milliseconds = min(max(milliseconds, Self.writable.lowerBound), Self.writable.upperBound)
        let timeOfDay = (milliseconds % Self.millisecondsADay + Self.millisecondsADay) % Self.millisecondsADay
        let (year, month, day) = Self.date((milliseconds - timeOfDay) / Self.millisecondsADay)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func write(_ number: Int64, digits: Int, then separator: Unicode.Scalar) {
            var power: Int64 = digits == 4 ? 1000 : digits == 3 ? 100 : 10
            while power > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / power % 10))
                power /= 10
            }
            text.append(UInt8(ascii: separator))
        }
        write(year, digits: 4, then: "-")
        write(month, digits: 2, then: "-")
        write(day, digits: 2, then: "T")
        write(timeOfDay / 3_600_000, digits: 2, then: ":")
        write(timeOfDay / 60_000 % 60, digits: 2, then: ":")
        write(timeOfDay / 1000 % 60, digits: 2, then: ".")
        write(timeOfDay % 1000, digits: 3, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }
}

extension Timestamp {
    /// `2026-01-02`, in UTC: for dates that don't depend on the time zone, such as birthdays.
    package var date: String { String(Substring(description.utf8.prefix { $0 != UInt8(ascii: "T") })) }
}
