import HTTP
import Model

extension Timestamp {
    /// Reads a date as directories write it: RFC 3339 and similar, generalized time (`20210429124502Z`, RFC
    /// 4517, section 3.3.13), a day (`20210429` or `29-Apr-2021`), `Thu, 29 Apr 2021 12:45:02 GMT`, seconds or
    /// milliseconds since 1970, also as `/Date(…)/`, or Windows' file time. Nil for placeholder dates.
    /// - Parameters:
    ///   - isDay: whether the date is the day as written, in any time zone, unless dates are exact.
    ///   - isExact: whether numbers are always seconds, and days have a time.
    package init?(_ text: String, isDay: Bool = false, isExact: Bool = false) {
        if isExact, let seconds = Double(text) {
            self.init(unixSeconds: seconds)
        } else {
            self.init(anyDate: text, isDay: isDay && !isExact)
            if meansNone { return nil }
        }
    }

    /// Whether the text is a placeholder for a missing date: 1900-01-01, 0001-01-01, 0000-00-00, 9999-12-31.
    static func isNoDate(_ text: String) -> Bool {
        text.hasPrefix("0000-00-00") || Timestamp(anyDate: text)?.meansNone == true
    }

    /// Includes the day before and the day after, for any time zone.
    private var meansNone: Bool {
        milliseconds <= -62_135_510_400_000 || milliseconds >= 253_402_128_000_000
            || -2_209_075_200_000 ... -2_208_902_400_000 ~= milliseconds
    }

    private init?(anyDate text: String, isDay: Bool = false) {
        var text = text.trimmingBlanks()
        if let date = text.withUTF8({ Timestamp(written: $0, isDay: isDay) }) {
            self = date
        } else if let number = Double(text), !text.hasPrefix("00") {
            let size = abs(number)
            // Only a birthday may be near 1970, where four digits are still a year.
            let isNone = isDay ? number == -1 || size >= 1000 && text.utf8.count <= 4 : size < 1e8
            if isNone { return nil }
            // In seconds, 10^11 is the year 5138. Windows counts tenths of microseconds since 1601.
            let seconds = 1e17..<1e18 ~= number ? number / 1e7 - 11_644_473_600 : number / 1000
            self.init(unixSeconds: size < 1e11 ? number : seconds)
        } else if let (instant, offset) = Self.wrapped(text) {
            self.init(unixSeconds: instant / 1000 + (isDay ? Double(offset) * 60 : 0))
        } else if let date = Self.numbered(text) {
            self.init(anyDate: date, isDay: isDay)
        } else {
            return nil
        }
    }

    /// Reads `/Date(1577485482000+0000)/`: milliseconds since 1970, and minutes east of UTC.
    private static func wrapped(_ text: String) -> (instant: Double, offset: Int64)? {
        guard text.hasPrefix("/Date("), text.hasSuffix(")/") else { return nil }
        let inside = text.dropFirst(6).dropLast(2)
        let sign = inside.dropFirst().lastIndex { $0 == "+" || $0 == "-" } ?? inside.endIndex
        var zone = String(inside[sign...])
        let offset = zone.withUTF8 { bytes in
            var reader = DateReader(bytes)
            return reader.offset(isLenient: true)
        }
        guard let instant = Double(inside[..<sign]), zone.isEmpty || offset != nil else { return nil }
        return (instant, offset ?? 0)
    }

    /// Turns `05-Jan-2015` and `Mon, 05 Jan 2015 10:20:30 GMT` into `2015-01-05` and `2015-01-05 10:20:30 GMT`.
    private static func numbered(_ text: String) -> String? {
        let date = text.split(separator: ",", maxSplits: 1).last ?? ""
        let parts = date.split(maxSplits: 2) { $0 == "-" || $0 == " " }
        guard parts.count == 3, 1...2 ~= parts[0].utf8.count, parts[2].utf8.count >= 4,
            let month = months.firstIndex(where: { $0.lowercased() == parts[1].lowercased() })
        else { return nil }
        let numbers = [month + 1, Int(parts[0]) ?? 0].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(parts[2].prefix(4))-\(numbers[0])-\(numbers[1])\(parts[2].dropFirst(4))"
    }

    /// Reads `YYYY-MM-DD` or `YYYYMMDD`, optionally with a time after `T` or a blank, with or without seconds and a
    /// fraction, and a zone; without one, it is UTC. Twelve digits alone are a number.
    private init?(written text: UnsafeBufferPointer<UInt8>, isDay: Bool) {
        var reader = DateReader(text)
        guard let year = reader.number(4) else { return nil }
        let hasDashes = reader.take("-") || reader.take("/")
        guard hasDashes || 1000...2999 ~= year, let month = reader.number(2),
            !hasDashes || reader.take("-") || reader.take("/"), let day = reader.number(2)
        else { return nil }
        let isApart = reader.take("T") || reader.take("t") || reader.take(" ")
        var (hour, minute, second, thousandths): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
        var isNumber = false
        if isApart || !hasDashes, let h = reader.number(2) {
            let hasColons = reader.take(":")
            guard let m = reader.number(2) else { return nil }
            let s = !hasColons || reader.take(":") ? reader.number(2) : nil
            guard let fraction = reader.fraction() else { return nil }
            (hour, minute, second, thousandths) = (h, m, s ?? 0, fraction)
            isNumber = s == nil && !isApart
            _ = reader.take(" ")
        } else if isApart {
            return nil
        }
        guard let offset = reader.isAtEnd && !isNumber ? 0 : reader.offset(isLenient: true), reader.isAtEnd,
            let utc = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        let time = isDay ? (hour * 60 + minute) * 60_000 + second * 1000 : offset * 60_000 - thousandths
        self.init(milliseconds: utc.milliseconds - time)
    }

    /// Reads seconds since 1970; nil outside of the years 1 to 9999.
    private init?(unixSeconds seconds: Double) {
        guard seconds.isFinite, -62_135_596_800..<253_402_300_800 ~= seconds else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// Whole years since then; nil for a future date, or more than 150 years.
    func years(until now: Timestamp) -> Int? {
        let (born, today) = (description.prefix(10), now.description.prefix(10))
        guard let from = Int(born.prefix(4)), let to = Int(today.prefix(4)) else { return nil }
        let years = to - from - (today.dropFirst(5) < born.dropFirst(5) ? 1 : 0)
        return 0...150 ~= years ? years : nil
    }
}
