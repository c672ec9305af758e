import Model
import YAML

extension SettingKind<[String]?> {
    /// Names of columns: a list, or a text with commas. userctl uses them; userd only checks them.
    static let columns = SettingKind(
        placeholder: "yaml",
        expected: "names of columns such as [name, email, city]; `userctl list --help` has all",
        isStructured: true,
        read: { given throws(InvalidValue) in
            guard let texts = given.structure.map(\.texts) ?? [given.text], !texts.isEmpty else {
                throw InvalidValue(problem: "is not a list of names")
            }
            do throws(UnknownColumn) {
                _ = try UserColumn.list(texts.joined(separator: ","))
            } catch {
                let near = error.suggestion.isEmpty ? "" : " (\(error.suggestion))"
                throw InvalidValue(
                    problem: "holds \(error.name.excerpt), which is not a column\(near)", isShown: false)
            }
            return texts
        },
        write: { $0.map { "[\($0.map(\.quoted).joined(separator: ", "))]" } })
}

extension SettingKind<String?> {
    /// The user who calls userctl, which reads it from the file alone.
    static let person = SettingKind(
        placeholder: "yaml", expected: "your id, username or address among the users", isStructured: true,
        read: { given throws(InvalidValue) in
            var text = given.text
            if let node = given.structure {
                guard case .scalar(let value, _) = node.content else {
                    throw InvalidValue(problem: "is not one text", isShown: false)
                }
                text = value
            }
            guard !text.isEmpty else { throw InvalidValue(problem: "is empty", isShown: false) }
            try refuseControls(text)
            try checkLength(text, atMost: 1000)
            return text
        },
        write: { $0.map(\.quoted) })
}
