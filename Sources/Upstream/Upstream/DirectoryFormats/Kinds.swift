import Model

extension DirectoryFormat {
    /// Whether users other than persons are listed.
    package var hasOtherKinds: Bool { kinds.contains { $0 != .person } }

    /// The kind that a word of the upstream stands for: without a word a person, nil if the word is not known.
    package func kind(_ word: String?) -> UserKind? {
        guard let word = word?.trimmingBlanks().asciiLowercased else { return .person }
        return kindValues[word] ?? UserKind(rawValue: word)
    }

    /// The end of the fingerprint; empty for persons alone.
    var ofKinds: String {
        let kinds = kinds == [.person] ? "" : " \(kinds.map(\.rawValue).sorted())"
        let values = kindValues.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rawValue)" }
        return kinds + (values.isEmpty ? "" : " \(values)")
    }
}
