import StrictJSON

extension JSONValue {
    /// The first of these members that is a number of seconds, also as a text, up to 30 years (RFC 6749, section 5.1).
    /// What is not finite is no number.
    package func lifetime(_ names: String...) -> Double? {
        let given = names.lazy.compactMap { name in
            self[name].flatMap { $0.double ?? $0.string.flatMap { Double($0) } }
        }
        return given.first(where: \.isFinite).map { min(max($0, 0), 1e9) }
    }
}
