import NearMatch
import Yams

/// The settings that a configuration file gives: YAML, nested once (`users:`, and below it `interval: 15min`).
///
/// Yams rather than a provider of swift-configuration reads the file, since the latter keeps no lines, knows no
/// unknown keys and follows aliases without a bound.
struct ConfigFile {
    struct Entry {
        let text: String
        let origin: Origin
    }

    let path: String
    /// By the setting's name.
    private(set) var entries: [String: Entry] = [:]
    /// In the order of the file.
    private(set) var mistakes: [SettingsError] = []

    static let maximumBytes = 1 << 20
    /// More than anybody reads; to find the nearest name for each of as many as fit into a file would take long.
    static let maximumMistakes = 50

    /// Throws where no setting can be made out at all.
    init(_ bytes: [UInt8], path: String) throws(SettingsError) {
        self.path = path
        guard bytes.count <= Self.maximumBytes else { throw failure("is larger than 1 MiB") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("is not UTF-8 text") }
        guard aliasBound(text) <= 8 else { throw failure("has more than 8 YAML aliases (*name)") }
        guard let root = try compose(text), !root.isNull else { return }
        guard case .mapping(let mapping) = root else {
            throw failure(line: root.line, "is \(root.noun), not lines of the form name: value")
        }
        add(mapping, section: nil)
    }

    private mutating func add(_ mapping: Node.Mapping, section: String?) {
        for (key, value) in mapping where mistakes.count < Self.maximumMistakes {
            do throws(SettingsError) {
                try add(key, value, section: section)
            } catch {
                mistakes.append(error)
            }
        }
    }

    private mutating func add(_ key: Node, _ value: Node, section: String?) throws(SettingsError) {
        let line = key.line
        guard case .scalar(let scalar) = key else {
            throw failure(line: line, "has \(key.noun) where a setting's name should be")
        }
        let name = section.map { "\($0).\(scalar.string)" } ?? scalar.string
        if section == nil, Self.sections.contains(name) {
            try addSection(name, value, line: line)
        } else if let setting = Setting.named[name], setting.key == scalar.string {
            try add(setting, value, line: line)
        } else {
            throw unknown(name, line: line)
        }
    }

    private mutating func addSection(_ name: String, _ value: Node, line: Int) throws(SettingsError) {
        if value.isNull { return }
        guard case .mapping(let mapping) = value else {
            throw failure(
                line: line, of: name,
                "is a section, and has \(value.noun) for its settings; indent them below it"
            )
        }
        add(mapping, section: name)
    }

    private mutating func add(_ setting: Setting, _ value: Node, line: Int) throws(SettingsError) {
        guard case .scalar(let scalar) = value, !value.isNull else {
            throw failure(
                line: line, of: setting.name,
                "has \(value.noun); expected \(setting.expected) (without the line, the default holds)")
        }
        // Yams compares keys with their tags.
        let entry = Entry(text: scalar.string, origin: .file(path: path, line: line))
        guard entries.updateValue(entry, forKey: setting.name) == nil else {
            throw failure(line: line, of: setting.name, "is given twice")
        }
    }

    private static let sections = Set(Setting.all.compactMap { $0.section.map(String.init) })

    // MARK: - Errors

    private func failure(line: Int? = nil, of name: String? = nil, _ reason: String) -> SettingsError {
        let place = path.visible + (line.map { ":\($0)" } ?? "")
        return SettingsError(name.map { "\(place): \($0)" } ?? place, reason, line: line)
    }

    private func unknown(_ name: String, line: Int) -> SettingsError {
        if let setting = Setting.named[name], let section = setting.section {
            return failure(
                line: line, of: name,
                "is written nested: \(section): on a line, and below it, indented, \(setting.key):")
        }
        let shown = name.count > 100 ? name.prefix(100) + "…" : name
        return failure(
            line: line, of: shown.visible,
            "is not a setting" + didYouMean(name, among: Setting.all.map(\.name) + Self.sections.sorted()))
    }

    private func compose(_ text: String) throws(SettingsError) -> Node? {
        do {
            // The basic resolver leaves scalars as they are written. The encoding is Yams' default, but that it would
            // look up in the environment.
            return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        } catch YamlError.scanner(let context, let problem, let mark, _),
            YamlError.parser(let context, let problem, let mark, _),
            YamlError.composer(let context, let problem, let mark, _)
        {
            throw failure(
                line: mark.line,
                "is not valid YAML: " + [problem, context?.text].compactMap(\.self).joined(separator: ", "))
        } catch YamlError.reader(let problem, let offset, _, _) {
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
            throw failure(line: line, "is not valid YAML: \(problem)")
        } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
            throw failure(line: context.mark.line, of: keys.first.map(\.excerpt), "is given twice")
        } catch {
            throw failure("is not valid YAML: \(error)")
        }
    }
}

/// How many aliases there are in a YAML text at the most: asterisks at a word's beginning, outside lines of comment.
/// Yams puts in for each alias what it stands for, so few of them can make much of little.
private func aliasBound(_ text: String) -> Int {
    let lineBreaks: [Unicode.Scalar] = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
    var count = 0
    for line in text.unicodeScalars.split(whereSeparator: lineBreaks.contains) {
        // With a quote in it, the line may end a quoted scalar and go on.
        let isComment = line.first { $0 != " " } == "#" && !line.contains { $0 == "\"" || $0 == "'" }
        if isComment { continue }
        var previous: Unicode.Scalar = " "
        for scalar in line {
            if scalar == "*", " \t,:?-[{".unicodeScalars.contains(previous) { count += 1 }
            previous = scalar
        }
    }
    return count
}

extension Node {
    fileprivate var line: Int { mark?.line ?? 1 }

    fileprivate var isNull: Bool {
        guard case .scalar(let scalar) = self, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    fileprivate var noun: String {
        switch self {
        case .scalar: isNull ? "no value" : "a single value"
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .alias: "an alias"
        }
    }
}
