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
