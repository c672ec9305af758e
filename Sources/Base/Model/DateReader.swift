/// Reads the parts of a date in order.
package struct DateReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    /// - Parameter bytes: the text; must outlive the reader.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    package var isAtEnd: Bool { at == bytes.count }

    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard at < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[at] else { return nil }
        at += 1
        return Int64(bytes[at - 1] - UInt8(ascii: "0"))
    }

    /// Nil without so many digits, of which none is taken.
    package mutating func number(_ digits: Int) -> Int64? {
        var (number, start): (Int64, Int) = (0, at)
        for _ in 0..<digits {
            guard let digit = digit() else {
                at = start
                return nil
            }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads a fraction in thousandths; 0 if it is missing, nil for a point without digits.
    package mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        guard let tenths = digit() else { return nil }
        let thousandths = tenths * 100 + (digit() ?? 0) * 10 + (digit() ?? 0)
        while digit() != nil {}
        return thousandths
    }

    /// Reads `Z` or `±HH:MM`, in minutes east of UTC.
    /// - Parameter isLenient: whether it may also be `±HHMM`, `±HH`, `z`, `UTC` or `GMT`.
    package mutating func offset(isLenient: Bool = false) -> Int64? {
        if take("Z") || isLenient && take("z") { return 0 }
        if isLenient, take("U") && take("T") && take("C") || take("G") && take("M") && take("T") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2) else { return nil }
        let hasColon = take(":")
        guard hasColon || isLenient, hours <= 23, let minutes = number(2) ?? (hasColon ? nil : 0),
            minutes <= 59
        else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}
