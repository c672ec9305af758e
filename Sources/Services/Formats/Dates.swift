import Model

extension Timestamp {
    /// Reads a date as an upstream writes it: `YYYY-MM-DD`, with a time after `T` or a blank, with a fraction or not,
    /// with `Z` or an offset or neither, which is UTC. Nil for what is none.
    init?(upstreamDate text: String) {
        var reader = DateReader(text)
        guard let year = reader.digits(4), reader.take("-"), let month = reader.digits(2), reader.take("-"),
            let day = reader.digits(2)
        else { return nil }
        var (hour, minute, second, thousandths, offset) = (0, 0, 0, 0, 0)
        if reader.take("T") || reader.take(" ") {
            guard let h = reader.digits(2), reader.take(":"), let m = reader.digits(2), reader.take(":"),
                let s = reader.digits(2)
            else { return nil }
            (hour, minute, second) = (h, m, s)
            if reader.take(".") {
                guard let fraction = reader.thousandths() else { return nil }
                thousandths = fraction
            }
            guard let minutes = reader.offset() else { return nil }
            offset = minutes
        }
        guard reader.isAtEnd,
            let utc = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(milliseconds: utc.milliseconds + Int64(thousandths) - Int64(offset) * 60_000)
    }

    /// Reads seconds since 1970; nil outside of the years 1 to 9999.
    init?(unixSeconds seconds: Double) {
        guard seconds.isFinite, -62_135_596_800..<253_402_300_800 ~= seconds else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7; the two obsolete forms are not written any more).
    init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        self.init(upstreamDate: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
    }

    /// Of the Gregorian calendar in UTC; nil for a day or an hour that there is not. A leap second is the next one.
    private init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard year >= 1, 1...12 ~= month, 1...Self.days(in: month, of: year) ~= day, 0...23 ~= hour,
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let before = year - 1
        let yearDays = before * 365 + before / 4 - before / 100 + before / 400
        let monthDays = (1..<month).reduce(0) { $0 + Self.days(in: $1, of: year) }
        // 719,162 days from 0001-01-01 to 1970-01-01.
        let days = yearDays + monthDays + day - 1 - 719_162
        self.init(milliseconds: Int64((days * 86_400 + hour * 3600 + minute * 60 + second) * 1000))
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

private struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digit() -> Int? {
        guard let byte = rest.first, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }

    mutating func digits(_ count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// One digit or more; beyond the third they are dropped.
    mutating func thousandths() -> Int? {
        guard var number = digit() else { return nil }
        number = number * 10 + (digit() ?? 0)
        number = number * 10 + (digit() ?? 0)
        while digit() != nil {}
        return number
    }

    /// In minutes east of UTC.
    mutating func offset() -> Int? {
        if isAtEnd || take("Z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = digits(2) else { return nil }
        _ = take(":")
        guard let minutes = digits(2), hours <= 23, minutes <= 59 else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}
