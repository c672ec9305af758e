import Model
import YAML

/// The settings that a configuration file gives: YAML, nested (`users:`, and below it `interval: 15min`).
struct ConfigFile {
    let path: String
    /// By the setting's name.
    private(set) var entries: [String: GivenValue] = [:]
    /// In the order of the file.
    private(set) var mistakes: [SettingsError] = []

    /// A limit, because finding the nearest name for each mistake takes long.
    static let maximumMistakes = 50

    /// Throws if no setting can be read.
    init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        self.path = path
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLNode.document(bytes)
        } catch {
            // The parser may report the line after the mistake.
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in [error.line, error.line.map { $0 - 1 }].compactMap(\.self)
            where lines.indices.contains(line - 1) {
                try refuseMissingSpace(in: String(decoding: lines[line - 1], as: UTF8.self), line: line)
            }
            throw failure(line: error.line, error.reason.visible)
        }
        guard let root, !root.isNull else { return }
        guard case .mapping(let members) = root.content else {
            try refuseMissingSpace(in: root)
            throw failure(line: root.line, "is \(root.noun), not lines of the form name: value")
        }
        add(members, section: "")
    }

    private mutating func add(_ members: [YAMLMember], section: String) {
        for member in members where mistakes.count < Self.maximumMistakes {
            do throws(SettingsError) { try add(member, section: section) } catch { mistakes.append(error) }
        }
    }

    private mutating func add(_ member: YAMLMember, section: String) throws(SettingsError) {
        let (name, value, line) = (section + member.name, member.value, member.line)
        if Self.sections.contains(name), !member.name.contains(".") {
            if value.isNull { return }
            guard case .mapping(let members) = value.content else {
                try refuseMissingSpace(in: value)
                var advice = "indent them below it"
                if case .sequence = value.content { advice += ", without the -" }
                throw failure(
                    line: line, of: name, "is a section, and has \(value.noun) for its settings; \(advice)")
            }
            add(members, section: name + ".")
        } else if let setting = Setting.named[name], setting.key == member.name {
            entries[name] = try given(value, to: setting, line: line)
        } else {
            throw unknown(name, line: line, value)
        }
    }

    private func given(
        _ value: YAMLNode, to setting: Setting, line: Int
    ) throws(SettingsError) -> GivenValue {
        let origin = Origin.file(path: path, line: line)
        if setting.isStructured && !value.isNull || setting.isList && value.isSequence {
            return GivenValue(text: value.flowText(), structure: value, origin: origin)
        }
        guard case .scalar(let text, _) = value.content, !value.isNull else {
            throw failure(
                line: line, of: setting.name,
                "has \(value.noun); expected \(setting.expected) (for the default, remove the line)")
        }
        return GivenValue(text: text, origin: origin)
    }

    private static let sections = Set(Setting.all.flatMap { $0.sections.map(String.init) })

    // MARK: - Errors

    private func failure(line: Int? = nil, of name: String? = nil, _ reason: String) -> SettingsError {
        let place = path.visible + (line.map { ":\($0)" } ?? "")
        return SettingsError(name.map { "\(place): \($0)" } ?? place, reason, line: line)
    }

    private func refuseMissingSpace(in node: YAMLNode) throws(SettingsError) {
        guard case .scalar(let text, isPlain: true) = node.content else { return }
        try refuseMissingSpace(in: text, line: node.line)
    }

    /// Throws for a line such as `format:scim`.
    private func refuseMissingSpace(in text: String, line: Int) throws(SettingsError) {
        let key = text.drop { $0 == " " }.prefix { $0 != ":" }
        let value = text[key.endIndex...].dropFirst()
        guard let first = value.first, !first.isWhitespace,
            Setting.all.contains(where: { $0.key == key }) || Self.sections.contains(String(key))
        else { return }
        throw failure(line: line, "\"\(key):\" needs a space after its colon")
    }

    private func unknown(_ name: String, line: Int, _ value: YAMLNode) -> SettingsError {
        if Setting.named[name] != nil || Self.sections.contains(name) {
            let keys = name.split(separator: ".").map { "\($0):" }
            return failure(
                line: line, of: name,
                "is written nested: \(keys.joined(separator: " on a line, and below it, indented, "))")
        }
        let own = name.split(separator: ".").last ?? ""
        let file =
            Setting.all.first { $0.name == name + "_file" } ?? Setting.all.first { $0.key == own + "_file" }
        if let file {
            return failure(
                line: line, of: name.visible,
                "is not a setting; put it into a file, and name the file in \(file.name)")
        }
        let near = Setting.all.filter { $0.isStructured || value.names.isEmpty }.map(\.name)
        return failure(
            line: line, of: name.beginning,
            "is not a setting" + didYouMean(name, among: near + Self.sections.sorted()))
    }
}
