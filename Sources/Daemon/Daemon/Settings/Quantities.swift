/// A number and its unit, as people write durations and sizes.
struct Quantity {
    let number: Int
    let unit: Substring

    /// Reads decimal digits and then a unit, which may be missing; nil for anything else.
    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits) else { return nil }
        self.number = number
        unit = text[digits.endIndex...]
    }

    /// Nil for an unknown unit, or when the product is too large.
    func value(in units: KeyValuePairs<String, Int>) -> Int? {
        guard let factor = units.first(where: { $0.key == unit })?.value else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// Uses the largest unit that leaves no remainder, in its first spelling.
    static func text(_ value: Int, in units: KeyValuePairs<String, Int>) -> String {
        let unit = units.first { value.isMultiple(of: $0.value) && value >= $0.value }
        return "\(value / (unit?.value ?? 1))\(unit?.key ?? "")"
    }

    /// In milliseconds, largest first.
    static let durations: KeyValuePairs = [
        "d": 86_400_000, "h": 3_600_000, "min": 60_000, "m": 60_000, "s": 1000, "ms": 1,
    ]

    /// In bytes, largest first, binary in both spellings.
    static let sizes: KeyValuePairs = [
        "GiB": 1 << 30, "G": 1 << 30, "MiB": 1 << 20, "M": 1 << 20, "KiB": 1 << 10, "K": 1 << 10, "": 1,
    ]
}

extension Duration {
    /// `90s`, `15min`, `15m`, `6h`, `1d` or `500ms`; nil for anything else.
    init?(setting text: String) {
        guard let milliseconds = Quantity(text)?.value(in: Quantity.durations) else { return nil }
        self = .milliseconds(milliseconds)
    }

    /// The form that `init(setting:)` reads. Settings have whole milliseconds.
    var settingText: String {
        Quantity.text(Int((self / .milliseconds(1)).rounded()), in: Quantity.durations)
    }
}
