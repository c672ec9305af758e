/// What upstream seems to have more is told beside the origin of the setting that would ask for it.
extension SettingInForce {
    private static let words = "upstream seems to have more: "

    package func telling(more: String) -> SettingInForce {
        SettingInForce(name: name, value: value, origin: "\(origin); \(Self.words)\(more)")
    }

    /// For people; nil where nothing is told.
    package var moreUpstream: String? {
        origin.firstRange(of: "; \(Self.words)").map { Self.words + origin[$0.upperBound...] }
    }
}
