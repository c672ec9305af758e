import Model

extension SettingKind<[UserKind]?> {
    /// Kinds for a setting that userctl reads from the file alone.
    static let publishedKinds = SettingKind(
        placeholder: "yaml", expected: SettingKind<[UserKind]>.kinds.expected, isStructured: true,
        read: { given throws(InvalidValue) in try SettingKind<[UserKind]>.kinds.read(given) },
        write: { $0.map { "[\($0.map(\.rawValue).joined(separator: ", "))]" } })
}
