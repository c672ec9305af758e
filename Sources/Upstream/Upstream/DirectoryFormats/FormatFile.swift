import Model
import StrictJSON
import YAML

/// Reads formats from YAML: files that come with userd, or keys below `users` and `facts` in the
/// configuration.
extension DirectoryFormat {
    /// Keys that a format may have, in addition to settings.
    package static let keys = ["records", "fields", "skip", "kind_values", "paging"]

    /// Reads a format that comes with userd.
    /// - Parameter fields: the names that `fields` may have.
    package init(name: String, yaml: [UInt8], fields: [String]) throws(FormatMistake) {
        self.init(name: name)
        changes = Changes.named(name)
        // Readers of an earlier version see the persons alone.
        others = name == "userd" ? Pointer(path: ["others"]) : nil
        let document: YAMLNode?
        do throws(YAMLError) { document = try YAMLNode.document(yaml) } catch {
            throw FormatMistake(error.reason, line: error.line)
        }
        guard let document else { throw FormatMistake("is empty") }
        for member in try document.members() {
            switch member.name {
            case "query": query = try member.value.text()
            case "page_size":
                guard let size = Int(try member.value.text()) else {
                    throw FormatMistake("expected a number", key: "page_size", line: member.line)
                }
                pageSize = size
            case "client_id": clientID = try member.value.text()
            case "identity": identity = try FieldSource(member.value, isList: false, place)
            case "bare_list": takesBareList = try member.value.text() == "true"
            case "exact_dates": hasExactDates = try member.value.text() == "true"
            case "repeats": repeats = try member.value.text() == "true"
            default: try override(member.name, with: member.value, fields: fields)
            }
        }
    }

    /// Keys of the configuration, by their names below `users` or `facts`; nil for those it does not have.
    package typealias Overrides = [(key: String, value: YAMLNode?)]

    /// Replaces keys of the format by those of the configuration.
    /// - Parameter names: the names that `fields` may have.
    /// - Returns: at most one mistake for each key.
    package mutating func override(with keys: Overrides, fields names: [String]) -> [FormatMistake] {
        var mistakes: [FormatMistake] = []
        for case (let key, let value?) in keys {
            do throws(FormatMistake) { try override(key, with: value, fields: names) } catch {
                mistakes.append(error)
            }
        }
        return mistakes
    }

    /// Replaces a key of the format by that of the configuration; in `fields`, each name separately.
    package mutating func override(_ key: String, with node: YAMLNode, fields names: [String])
        throws(FormatMistake)
    {
        try located(key, node.line) { () throws(FormatMistake) in
            if isLDAP, key == "records" || key == "paging" {
                throw FormatMistake("has no meaning if users.format is \(name)")
            }
            switch key {
            case "records": records = try Pointer(node.text())
            case "fields": try overrideFields(with: node, names)
            case "skip": skip = try node.isNull ? [] : conditions(node)
            case "kind_values": kindValues = try kinds(node)
            case "paging": paging = try Paging(node)
            default: throw FormatMistake("is not a key of a format" + didYouMean(key, among: Self.keys))
            }
        }
    }

    private mutating func overrideFields(with node: YAMLNode, _ names: [String]) throws(FormatMistake) {
        for member in try node.members() {
            try located(member.name, member.line) { () throws(FormatMistake) in
                guard names.contains(member.name) else {
                    throw FormatMistake("is not a field" + didYouMean(member.name, among: names))
                }
                let isList = UserField.all.contains { $0.name == member.name && $0.isList }
                fields[member.name] =
                    try member.value.isNull ? nil : FieldSource(member.value, isList: isList, place)
            }
        }
    }

    /// The right-hand side of a field: a pointer, or an attribute of LDAP.
    private func place(_ text: String) throws(FormatMistake) -> Pointer {
        try isLDAP ? Pointer(attribute: text) : Pointer(text)
    }

    private func kinds(_ node: YAMLNode) throws(FormatMistake) -> [String: UserKind] {
        var kinds: [String: UserKind] = [:]
        for member in try node.members() {
            try located(member.name, member.line) { () throws(FormatMistake) in
                let kind: UserKind = try Paging.value(member.value.text())
                kinds[member.name.asciiLowercased] = kind
            }
        }
        return kinds
    }

    private func conditions(_ node: YAMLNode) throws(FormatMistake) -> [Condition] {
        var conditions: [Condition] = []
        for member in try node.members() {
            try located(member.name, member.line) { () throws(FormatMistake) in
                var nodes = [member.value]
                if case .sequence(let all) = member.value.content { nodes = all }
                let tests = try nodes.map { node throws(FormatMistake) in
                    try Condition.Test(node.text(), hasBits: isLDAP)
                }
                conditions.append(Condition(pointer: try place(member.name), tests: tests))
            }
        }
        return conditions
    }
}

extension DirectoryFormat.FieldSource {
    fileprivate init(
        _ node: YAMLNode, isList: Bool, _ place: (String) throws(FormatMistake) -> Pointer
    ) throws(FormatMistake) {
        if case .mapping(let kinds) = node.content {
            guard isList else {
                throw FormatMistake("expected a pointer or a list of pointers, found a mapping")
            }
            places = []
            for kind in kinds {
                places += try Self.places(kind.value, kind: kind.name, place)
            }
        } else {
            places = try Self.places(node, kind: nil, place)
        }
        guard places.count <= 16 else { throw FormatMistake("has more than 16 pointers") }
    }

    /// A list inside the list has the parts of one text.
    private static func places(
        _ node: YAMLNode, kind: String?, _ place: (String) throws(FormatMistake) -> Pointer
    ) throws(FormatMistake) -> [Place] {
        guard case .sequence(let nodes) = node.content else {
            return [Place(pointer: try place(node.text()), kind: kind)]
        }
        return try nodes.map { node throws(FormatMistake) in
            guard case .sequence(let parts) = node.content, let first = parts.first else {
                return Place(pointer: try place(node.text()), kind: kind)
            }
            let more = try parts.dropFirst().map { part throws(FormatMistake) in try place(part.text()) }
            return Place(pointer: try place(first.text()), kind: kind, more: more)
        }
    }
}

extension DirectoryFormat.Paging {
    fileprivate init(_ node: YAMLNode) throws(FormatMistake) {
        for member in try node.members() {
            try located(member.name, member.line) { () throws(FormatMistake) in
                let text = try member.value.text()
                switch member.name {
                case "style": style = try Self.value(text)
                case "param": param = text
                case "first": first = text
                case "size": size = text
                case "seed": seed = text
                case "from" where text.hasPrefix(Self.headerPrefix):
                    header = String(text.dropFirst(Self.headerPrefix.count))
                case "from": from = try Pointer(one: text)
                case "total": total = try Pointer(one: text)
                case "more": more = try Pointer(one: text)
                case "base": base = try Pointer(one: text)
                case "step": step = try Self.value(text)
                default:
                    throw FormatMistake("is not a key of paging" + didYouMean(member.name, among: Self.keys))
                }
            }
        }
        try check()
    }

    /// Begins a `from` that names a header.
    private static let headerPrefix = "header "
    private static let keys = ["style", "param", "first", "size", "from", "total", "more", "base", "step"]

    fileprivate static func value<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String
    ) throws(FormatMistake) -> Value {
        if let value = Value(rawValue: text) { return value }
        let all = Value.allCases.map(\.rawValue)
        throw FormatMistake(
            "expected one of \(all.joined(separator: ", "))" + didYouMean(text, among: all))
    }

    private func check() throws(FormatMistake) {
        if style == .none, more != nil {
            throw FormatMistake("more has no meaning with the style none, which requests one page")
        }
        if style != .url, base != nil {
            throw FormatMistake("base has a meaning only with the style url")
        }
        if style != .number, style != .offset, step == .size {
            throw FormatMistake("step has a meaning only with the styles number and offset")
        }
        let needsParam = [.number, .offset, .cursor].contains(style)
        if needsParam, param == nil {
            throw FormatMistake("the style \(style.rawValue) needs param, the name of a query parameter")
        }
        if style != .cursor, header != nil {
            throw FormatMistake("a header in from has a meaning only with the style cursor")
        }
        if let header,
            header.isEmpty
                || !header.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        {
            throw FormatMistake("\"\(header)\" is not the name of a header")
        }
        if [.cursor, .url].contains(style), from == nil, header == nil {
            throw FormatMistake("the style \(style.rawValue) needs from, the pointer to the next one")
        }
        if style == .number || style == .offset, let first, Int(first) == nil {
            throw FormatMistake("first is \"\(first)\"; the style \(style.rawValue) needs a number")
        }
    }
}

/// Adds the key and the line to a mistake, unless it has a more exact line.
private func located(
    _ key: String, _ line: Int, _ body: () throws(FormatMistake) -> Void
) throws(FormatMistake) {
    do throws(FormatMistake) { try body() } catch {
        throw FormatMistake(
            error.reason, key: error.key.map { "\(key).\($0)" } ?? key, line: error.line ?? line)
    }
}

extension YAMLNode {
    fileprivate func members() throws(FormatMistake) -> [YAMLMember] {
        guard case .mapping(let members) = content else {
            throw FormatMistake("expected a mapping, found \(noun)", line: line)
        }
        return members
    }

    fileprivate func text() throws(FormatMistake) -> String {
        guard case .scalar(let text, _) = content else {
            throw FormatMistake("expected a single value, found \(noun)", line: line)
        }
        return text
    }
}
