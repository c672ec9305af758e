/// Edits change whole lines, or one value on a line: comments, order and line ends stay. The result is read again, and must have
/// exactly the values that are wanted; otherwise the edit is refused. So an edit need not know all ways to write YAML.
extension Configuration {
    /// The text with these settings. New ones are the first of their section, in this order.
    /// - Parameter settings: each value as YAML of one line.
    package func setting(_ settings: [(name: String, yaml: String)]) throws(YAMLError) -> Configuration {
        var edited = self
        for (name, yaml) in settings.reversed() { edited = try edited.setting(name, to: yaml) }
        return edited
    }

    private func setting(_ name: String, to yaml: String) throws(YAMLError) -> Configuration {
        let parts = name.split(separator: ".")
        let (path, end) = (path(to: parts), end)
        var lines = lines
        if let old = text(name), let node = path.last?.value, lines.indices.contains(node.line - 1) {
            let line = lines[node.line - 1].unicodeScalars
            let value = String(line.dropFirst(node.column - 1))
            lines[node.line - 1] =
                String(line.prefix(node.column - 1))
                + value.replacing(old.isEmpty ? "\"\"" : old, with: yaml, maxReplacements: 1)
        } else {
            let section = path.last
            let column = (section?.value ?? root)?.members.first?.column ?? section.map { $0.column + 2 } ?? 1
            let new = nested(parts.dropFirst(path.count), yaml, column: column)
            lines.insert(contentsOf: new.map { $0 + end }, at: min(section?.line ?? .max, lines.count - 1))
        }
        // On further lines, the value could bring other settings.
        let alone = nested(parts[...], yaml, column: 1).joined(separator: "\n")
        let given = yaml.contains(where: \.isNewline) ? nil : try? Configuration(Array(alone.utf8)).values
        return try checked(lines, wanted: values.merging(given ?? [:]) { $1 }, path.last)
    }

    /// The settings with values in a section; a value of one line is one, whatever is in it.
    package func names(in section: String) -> [String] {
        (self[section]?.value.members ?? []).flatMap { member in
            let (name, inner) = (section + "." + member.name, member.value.members)
            if member.value.isNull { return [String]() }
            return inner.isEmpty || inner[0].line == member.line ? [name] : names(in: name)
        }
    }

    /// The text without a setting, nor its section if nothing else is in it, not even a comment.
    package func removing(_ name: String) throws(YAMLError) -> Configuration {
        guard let member = self[name] else { return self }
        let parts = name.split(separator: ".")
        var lines = lines
        if lines.indices.contains(member.line - 1) {
            let end = min(max(member.line, member.value.lastLine), lines.count)
            let below = lines[end...].first { !$0.allSatisfy(\.isWhitespace) } ?? ""
            let section = path(to: parts).dropLast().last.flatMap { section in
                let isAlone = section.value.members.count == 1 && section.line + 1 == member.line
                return isAlone && below.prefix { $0 == " " }.count < section.column ? section : nil
            }
            lines.removeSubrange((section ?? member).line - 1..<end)
        }
        let wanted = values.filter { !$0.key.starts(with: parts.map(String.init)) }
        return try checked(lines, wanted: wanted, member)
    }

    private func checked(
        _ lines: [String], wanted: [[String]: YAMLNode.Content], _ member: YAMLMember?
    ) throws(YAMLError) -> Configuration {
        guard let edited = try? Configuration(Array(lines.joined(separator: "\n").utf8)),
            edited.values == wanted
        else {
            let subject = member.map { $0.name + " " } ?? ""
            throw YAMLError(
                reason: subject + "is written in a way that userctl does not change", line: member?.line)
        }
        return edited
    }

    /// The lines, split at line feeds; an empty one after the last.
    private var lines: [String] {
        let text = String(decoding: bytes, as: UTF8.self)
        let isComplete = text.isEmpty || bytes.last == UInt8(ascii: "\n")
        return (isComplete ? text : text + end + "\n").unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    /// The end of new lines before the line feed.
    private var end: String { bytes.contains(UInt8(ascii: "\r")) ? "\r" : "" }

    private func nested(_ parts: ArraySlice<Substring>, _ yaml: String, column: Int) -> [String] {
        parts.enumerated().map { depth, part in
            String(repeating: " ", count: column - 1 + 2 * depth) + part + ":"
                + (depth == parts.count - 1 ? " " + yaml : "")
        }
    }
}
