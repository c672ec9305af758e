import HTTP
import Model

extension Timestamp {
    /// Reads a date as directories write it: RFC 3339 and similar, generalized time (`20210429124502Z`, RFC
    /// 4517, section 3.3.13), a day (`20210429` or `29-Apr-2021`), seconds or milliseconds since 1970, also
    /// as `/Date(…)/`. Nil for placeholder dates.
    package init?(directoryDate text: String) {
        self.init(anyDate: text)
        if meansNone { return nil }
    }

    /// Whether the text is a placeholder for a missing date: 1900-01-01, 0001-01-01, 0000-00-00.
    static func isNoDate(_ text: String) -> Bool {
        text.hasPrefix("0000-00-00") || Timestamp(anyDate: text)?.meansNone == true
    }

    /// Includes the day before and the day after, for any time zone.
    private var meansNone: Bool {
        milliseconds <= -62_135_510_400_000
            || -2_209_075_200_000 ... -2_208_902_400_000 ~= milliseconds
    }

    private init?(anyDate text: String) {
        var text = text.trimmingBlanks()
        if let date = text.withUTF8({ Timestamp(written: $0) }) {
            self = date
        } else if let number = Double(text), text.utf8.count > 4 || abs(number) < 1000 {
            // Four digits are a year. In seconds, 10^11 is the year 5138.
            self.init(unixSeconds: abs(number) < 1e11 ? number : number / 1000)
        } else if let (instant, _) = Self.wrapped(text) {
            self.init(unixSeconds: instant / 1000)
        } else if let date = Self.numbered(text) {
            self.init(anyDate: date)
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
            return reader.offset(colonMayLack: true)
        }
        guard let instant = Double(inside[..<sign]), zone.isEmpty || offset != nil else { return nil }
        return (instant, offset ?? 0)
    }

    /// Turns `05-Jan-2015` into `2015-01-05`.
    private static func numbered(_ text: String) -> String? {
        let parts = text.split(separator: "-", maxSplits: 2)
        guard parts.count == 3, 1...2 ~= parts[0].utf8.count, parts[2].utf8.count >= 4,
            let month = months.firstIndex(where: { $0.lowercased() == parts[1].lowercased() })
        else { return nil }
        let numbers = [month + 1, Int(parts[0]) ?? 0].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(parts[2].prefix(4))-\(numbers[0])-\(numbers[1])\(parts[2].dropFirst(4))"
    }

    /// - Parameters:
    ///   - isDay: whether the date is the day as written, in any time zone, unless dates are exact.
    ///   - isExact: whether numbers are always seconds, and days have a time.
    package init?(_ text: String, isDay: Bool, isExact: Bool) {
        if isExact, let seconds = Double(text) {
            self.init(unixSeconds: seconds)
        } else if isDay, !isExact {
            self.init(day: text)
        } else {
            self.init(directoryDate: text)
        }
    }

    private init?(day text: String) {
        let text = text.trimmingBlanks()
        guard let date = Timestamp(directoryDate: text) else { return nil }
        if let (_, offset) = Self.wrapped(text) {
            self.init(milliseconds: date.milliseconds + offset * 60_000)
            return
        }
        let day = text.prefix(text.dropFirst(4).first == "-" ? 10 : 8)
        let isWritten = Double(text) == nil || text.count == 8
        self = isWritten ? Timestamp(directoryDate: String(day)) ?? date : date
    }

    /// Reads `YYYY-MM-DD`, optionally with a time after `T` or a blank, with or without a fraction, with `Z`
    /// or an offset, or neither for UTC. Without separators, a time needs an offset or `Z`.
    private init?(written text: UnsafeBufferPointer<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(4) else { return nil }
        let hasDashes = reader.take("-")
        guard hasDashes || 1000...2999 ~= year, let month = reader.number(2),
            !hasDashes || reader.take("-"), let day = reader.number(2)
        else { return nil }
        var (hour, minute, second, thousandths, offset): (Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0)
        if !reader.isAtEnd {
            guard !hasDashes || reader.take("T") || reader.take(" "),
                let h = reader.number(2), !hasDashes || reader.take(":"),
                let m = reader.number(2), !hasDashes || reader.take(":"),
                let s = reader.number(2), let fraction = reader.fraction(),
                let minutes = reader.isAtEnd && hasDashes ? 0 : reader.offset(colonMayLack: true)
            else { return nil }
            (hour, minute, second, thousandths, offset) = (h, m, s, fraction, minutes)
        }
        guard reader.isAtEnd,
            let utc = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(milliseconds: utc.milliseconds + thousandths - offset * 60_000)
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
