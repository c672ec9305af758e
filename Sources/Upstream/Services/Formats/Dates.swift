import Model

extension Timestamp {
    /// Reads a date as an upstream writes it: `YYYY-MM-DD`, with a time after `T` or a blank, with a fraction or not,
    /// with `Z` or an offset or neither, which is UTC. Nil for what is none.
    package init?(upstreamDate text: UnsafeBufferPointer<UInt8>) {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2)
        else { return nil }
        var (hour, minute, second, thousandths, offset): (Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0)
        if reader.take("T") || reader.take(" ") {
            guard let h = reader.number(2), reader.take(":"), let m = reader.number(2), reader.take(":"),
                let s = reader.number(2), let fraction = reader.fraction(),
                let minutes = reader.isAtEnd ? 0 : reader.offset(colonMayLack: true)
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
    package init?(unixSeconds seconds: Double) {
        guard seconds.isFinite, -62_135_596_800..<253_402_300_800 ~= seconds else { return nil }
        self.init(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7; the two obsolete forms are not written any more).
    package init?(httpDate text: String) {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: String(parts[2]))
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        var date = "\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z"
        guard let time = date.withUTF8({ Timestamp(upstreamDate: $0) }) else { return nil }
        self = time
    }
}
