import Model
import YAML

// Settings that userctl reads from the file alone; userd only checks them.

extension SettingKind<String?> {
    /// The user who calls userctl.
    static let person = SettingKind(
        placeholder: "yaml", expected: "your id, username or address among the users", isStructured: true,
        read: { given throws(InvalidValue) in
            let text = try given.singleText()
            guard !text.isEmpty else { throw InvalidValue(problem: "is empty", isShown: false) }
            try refuseControls(text)
            try checkLength(text, atMost: 1000)
            return text
        },
        write: { $0.map(\.quoted) })
}

extension SettingKind<HyperlinkUse?> {
    static let hyperlinks: Self = {
        let word = SettingKind<HyperlinkUse>.word()
        return SettingKind(
            placeholder: "yaml", expected: word.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                try word.read(GivenValue(text: given.singleText(), origin: given.origin))
            },
            write: { $0.map(\.rawValue) })
    }()
}

extension SettingKind<[UserAction]?> {
    static let actions: Self = {
        let structure = SettingKind<YAMLNode?>.structure(
            "names of actions with addresses, such as {chat: \"https://chat.example.org/{username}\"}")
        return SettingKind(
            placeholder: structure.placeholder, expected: structure.expected, isStructured: true,
            read: { given throws(InvalidValue) in
                try structure.members(of: given, "actions") { member throws(InvalidValue) -> UserAction in
                    do throws(InvalidAction) {
                        return try UserAction(member.name, member.value.text)
                    } catch {
                        throw InvalidValue(problem: error.problem.visible)
                    }
                }
            },
            write: { $0.map { "{\($0.map(\.written).joined(separator: ", "))}" } })
    }()
}

extension UserAction {
    fileprivate var written: String { "\(name.quoted): \((template?.text ?? "").quoted)" }
}

extension GivenValue {
    /// The text of a value that only the file can give.
    fileprivate func singleText() throws(InvalidValue) -> String {
        guard let structure else { return text }
        guard case .scalar(let text, _) = structure.content else {
            throw InvalidValue(problem: "is not one text", isShown: false)
        }
        return text
    }
}
