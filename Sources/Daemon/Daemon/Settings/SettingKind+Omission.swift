import Model
import YAML

extension Settings.Users {
    var omittedFields: Set<UserField> {
        UserField.omittable.filter { omit.contains($0.name) }.reduce(into: []) { $0.formUnion($1.fields) }
    }
}

extension SettingKind<[String]> {
    /// Names of fields to leave out: in the file also as a list.
    static let omission = SettingKind(
        placeholder: "fields",
        expected: "fields, separated by commas or blanks: "
            + UserField.omittable.map(\.name).joined(separator: ", "),
        isList: true,
        read: { given throws(InvalidValue) in
            var names: Set<String> = []
            if case .sequence(let nodes)? = given.structure?.content {
                for node in nodes {
                    guard case .scalar(let name, _) = node.content else {
                        throw InvalidValue(problem: "has \(node.noun) in it", isShown: false, line: node.line)
                    }
                    names.insert(try omitted(name, line: node.line))
                }
            } else {
                for name in given.text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
                    names.insert(try omitted(String(name)))
                }
            }
            return UserField.omittable.map(\.name).filter(names.contains)
        },
        write: { $0.joined(separator: ", ") })
}

/// Returns the name if it may be left out.
private func omitted(_ name: String, line: Int? = nil) throws(InvalidValue) -> String {
    if UserField.needed.contains(name) {
        throw InvalidValue(
            problem: "\(name) can't be left out, because every user needs an id, a name and a kind",
            isShown: false,
            line: line)
    }
    let names = UserField.omittable.map(\.name)
    guard names.contains(name) else {
        throw InvalidValue(
            problem: "\(name.excerpt) is not a field that can be left out", isShown: false,
            hint: didYouMean(name, among: names), line: line)
    }
    return name
}
