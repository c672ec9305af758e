typealias Environment = [String: String]

extension Environment {
    /// Nil if it is not set or empty.
    func value(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}
