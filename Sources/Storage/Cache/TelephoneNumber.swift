/// A telephone number without what people write or leave out: `+41 (0)79 202 16 61`, `0041792021661` and
/// `079/202 16 61` end alike.
///
/// There are no tables of countries: a number with its country's code ends like the number without it. Only one
/// leading 0 is dropped, so a trunk prefix with another digit, as in Russia, is part of the number.
struct TelephoneNumber {
    /// ASCII digits without `+`, `00`, `(0)` and a leading 0.
    var digits: String
    /// Whether the digits begin with the country's code.
    var isInternational: Bool
    /// What follows an `x`, `ext.` or `#`.
    var extensionDigits: String?

    /// Shorter ones are no extensions.
    static let shortest = 3

    /// - Parameter text: anything; what is not a digit separates.
    init(_ text: some StringProtocol) {
        var number = text[...]
        if let marker = text.unicodeScalars.lastIndex(where: { $0 == "x" || $0 == "X" || $0 == "#" }) {
            let digits = text[marker...].decimalDigits
            if 1...7 ~= digits.count {
                extensionDigits = digits
                number = text[..<marker]
            }
        }
        digits = number.withoutOptionalZero.decimalDigits
        isInternational = number.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "(" } == "+"
        if !isInternational, digits.hasPrefix("00") {
            digits.removeFirst(2)
            isInternational = true
        } else if digits.hasPrefix("0") {
            digits.removeFirst()
        }
    }
}

extension StringProtocol {
    /// The text without `(0)`, which is dialled only within the country.
    fileprivate var withoutOptionalZero: String {
        guard let zero = unicodeScalars.firstIndex(of: "("), self[zero...].hasPrefix("(0)") else {
            return String(self)
        }
        return String(self[..<zero]) + self[index(zero, offsetBy: 3)...]
    }

    var decimalDigits: String {
        var digits = ""
        for scalar in unicodeScalars {
            if "0"..."9" ~= scalar {
                digits.unicodeScalars.append(scalar)
            } else if !scalar.isASCII, scalar.properties.numericType == .decimal,
                let value = scalar.properties.numericValue
            {
                digits += String(Int(value))
            }
        }
        return digits
    }
}
