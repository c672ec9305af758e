import Model
import Services

extension Timestamp {
    /// Reads a date as directories write it: RFC 3339 and its kin, generalized time (`20210429124502Z`, RFC 4517, section
    /// 3.3.13), a day (`20210429`), seconds or milliseconds since 1970.
    package init?(directoryDate text: String) {
        var text = text.trimmingBlanks()
        let date = text.withUTF8 {
            Timestamp(upstreamDate: $0) ?? Timestamp(generalizedTime: $0) ?? Timestamp(day: $0)
        }
        if let date {
            self = date
        } else if let number = Double(text), text.utf8.count > 4 || abs(number) < 1000 {
            // Four digits are a year. In seconds, 10^11 is the year 5138.
            self.init(unixSeconds: abs(number) < 1e11 ? number : number / 1000)
        } else {
            return nil
        }
    }

    /// A birthday is the day that is written, wherever that was.
    init?(_ text: String, of field: UserField) {
        if field == .bornAt { self.init(birthday: text) } else { self.init(directoryDate: text) }
    }

    private init?(birthday text: String) {
        let text = text.trimmingBlanks()
        guard let date = Timestamp(directoryDate: text) else { return nil }
        let day = text.prefix(text.dropFirst(4).first == "-" ? 10 : 8)
        let isWritten = Double(text) == nil || text.count == 8
        self = isWritten ? Timestamp(directoryDate: String(day)) ?? date : date
    }

    private init?(day text: UnsafeBufferPointer<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(4), let month = reader.number(2), let day = reader.number(2),
            reader.isAtEnd, 1000...2999 ~= year
        else { return nil }
        self.init(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    }

    private init?(generalizedTime text: UnsafeBufferPointer<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(4), let month = reader.number(2), let day = reader.number(2),
            let hour = reader.number(2), let minute = reader.number(2), let second = reader.number(2),
            let thousandths = reader.fraction(), let offset = reader.offset(colonMayLack: true),
            reader.isAtEnd,
            let date = Timestamp(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self.init(milliseconds: date.milliseconds + thousandths - offset * 60_000)
    }

    /// Whole years since then; nil for a date to come, or before anybody who lives.
    func years(until now: Timestamp) -> Int? {
        let (born, today) = (description.prefix(10), now.description.prefix(10))
        guard let from = Int(born.prefix(4)), let to = Int(today.prefix(4)) else { return nil }
        let years = to - from - (today.dropFirst(5) < born.dropFirst(5) ? 1 : 0)
        return 0...150 ~= years ? years : nil
    }
}
