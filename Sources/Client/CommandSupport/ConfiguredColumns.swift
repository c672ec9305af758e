import Model
import Platform
import YAML

extension Console {
    /// The columns that `columns` in userd's configuration names; nil if it names none. Throws a `CommandError` if a column is
    /// unknown. A file that is not YAML names none, as for `ConfiguredPaths`.
    package func configuredColumns() throws -> [UserColumn]? {
        for path in baseDirectories.configFiles {
            if let columns = try columns(in: path) { return columns }
        }
        return nil
    }

    private func columns(in path: String) throws -> [UserColumn]? {
        guard let bytes = file(path),
            case .mapping(let members) = try? YAMLNode.document(bytes)?.content,
            let member = members.first(where: { $0.name == "columns" }), !member.value.isNull
        else { return nil }
        func mistake(_ reason: String) -> CommandError {
            CommandError(
                "\(path):\(member.line): columns: \(reason)", .usage,
                advice: "--columns overrides it; `userd --check-config` checks the whole file")
        }
        guard let texts = member.value.texts, !texts.isEmpty else {
            throw mistake("has \(member.value.noun) where names such as [name, email, city] are expected")
        }
        do throws(UnknownColumn) {
            return try UserColumn.list(texts.joined(separator: ","))
        } catch {
            throw mistake("unknown column \(error.explanation)")
        }
    }
}
