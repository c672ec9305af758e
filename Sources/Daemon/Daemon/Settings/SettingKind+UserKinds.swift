import Model
import Upstream
import YAML

extension SettingKind<[UserKind]> {
    /// Kinds of users: in the file also as a list.
    static let kinds = SettingKind(
        placeholder: "kinds",
        expected: "kinds, separated by commas or blanks: " + UserKind.names.joined(separator: ", "),
        isList: true,
        read: { given throws(InvalidValue) in
            guard let texts = given.structure.map(\.texts) ?? [given.text] else {
                throw InvalidValue(problem: "is not a list of words", isShown: false)
            }
            do throws(UnknownKind) {
                return try UserKind.list(texts)
            } catch {
                if error.name.isEmpty { throw InvalidValue(problem: "names no kind", isShown: false) }
                throw InvalidValue(
                    problem: "\(error.name.excerpt) is not a kind", isShown: false,
                    hint: didYouMean(error.name, among: UserKind.names))
            }
        },
        write: { $0.map(\.rawValue).joined(separator: ", ") })
}

extension Settings {
    /// Mistakes in kinds that records of the format can't have.
    func kindMistakes(_ format: DirectoryFormat?) -> [SettingMistake] {
        let users = users
        // A recording has its own format, and an unknown one is a mistake already.
        guard self.replay == nil, format != nil || users.format == "randomuser",
            format?.isLDAP != true, format?.fields[UserField.kind.name] == nil
        else { return [] }
        let reason =
            format == nil
            ? "has no meaning where users.format is randomuser"
            : "needs the place of a record's kind; add it to users.fields, for example {kind: /type}"
        return [
            SettingMistake("users.kinds", if: users.kinds != [.person], reason),
            SettingMistake("users.kind_values", if: format != nil && users.kindValues != nil, reason),
        ].compactMap(\.self)
    }
}

extension SettingsLoader.Examined {
    /// Warns of kinds that are asked for here and never fetched. `all` stands for those that there are.
    mutating func warnAboutKinds() {
        guard !settings.hasStandIn else { return }
        let others = [
            ("carddav.kinds", settings.carddav.kinds), ("publish.kinds", settings.publish.kinds ?? []),
        ]
        for (name, kinds) in others where kinds != UserKind.allCases {
            let missing = kinds.filter { $0 != .person && !settings.users.kinds.contains($0) }.map(\.rawValue)
            guard !missing.isEmpty else { continue }
            warnings.append(
                "\(name) has \(missing.joined(separator: ", ")), which userd does not fetch: "
                    + "add the same to users.kinds, or remove it from \(name)")
        }
    }
}
