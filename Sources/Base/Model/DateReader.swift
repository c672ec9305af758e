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

    package mutating func number(_ digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
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
    package mutating func offset(colonMayLack: Bool = false) -> Int64? {
        if take("Z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2), take(":") || colonMayLack,
            let minutes = number(2), hours <= 23, minutes <= 59
        else { return nil }
        return (hours * 60 + minutes) * (isEast ? 1 : -1)
    }
}
