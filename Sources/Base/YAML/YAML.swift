// YAML: the text of a configuration file of userd, nested (`carddav:`, and below it `port: 20000`). Formats of
// directories are read by it, too.
//
// In: the bytes of a file.
// Out: values by name with their line and column, the bytes with a changed setting and all else as it was
// (Configuration+Editing.swift), or a YAMLError.
//
// Start: Configuration.swift, and here for YAML through libyaml. Which names and values are valid is said by
// the settings of userd (Daemon/Settings), and of a format by FormatFile.swift of Upstream.
//
// Threads: all functions run on the caller's thread, and read no file.

import CYAML
import Platform

extension YAMLNode {
    package static let maximumBytes = 1 << 20
    package static let maximumDepth = 32

    /// The single document of a file; nil if the file has none.
    ///
    /// Stricter than YAML: only UTF-8, limited size and depth, members with different names that are text,
    /// and no anchors, aliases or tags, so that the text means only what it shows.
    package static func document(_ given: [UInt8]) throws(YAMLError) -> YAMLNode? {
        guard given.count <= maximumBytes else { throw YAMLError(reason: "is larger than 1 MiB") }
        // libyaml counts a byte order mark as a column of the first line.
        let bytes = Array(given.withoutByteOrderMark)
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw YAMLError(reason: "is not UTF-8 text")
        }
        return try bytes.withUnsafeBufferPointer { bytes throws(YAMLError) in
            try YAMLReader(bytes).document()
        }
    }
}

private final class YAMLReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// On the heap, because libyaml keeps its address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    private struct Event {
        enum Kind: Equatable {
            case scalar(String, isPlain: Bool)
            case sequenceStart, sequenceEnd, mappingStart, mappingEnd
            case documentStart, documentEnd, streamStart, streamEnd
        }

        let kind: Kind
        let line: Int
        let column: Int

        func failure(_ reason: String) -> YAMLError { YAMLError(reason: reason, line: line, column: column) }
    }

    /// The bytes must outlive the reader.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        yaml_parser_initialize(parser)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    func document() throws(YAMLError) -> YAMLNode? {
        _ = try next()
        if try next().kind == .streamEnd { return nil }
        let node = try node(next(), depth: 0)
        _ = try next()
        let end = try next()
        guard end.kind == .streamEnd else {
            throw end.failure("has a second YAML document; write everything into the first, and remove ---")
        }
        return node
    }

    private func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
        let content: YAMLNode.Content
        if case .scalar(let text, let isPlain) = event.kind {
            content = .scalar(text, isPlain: isPlain)
        } else if depth == YAMLNode.maximumDepth {
            throw event.failure("is nested more than \(depth) levels deep")
        } else if event.kind == .sequenceStart {
            content = .sequence(try sequence(depth: depth + 1))
        } else {
            content = .mapping(try mapping(depth: depth + 1))
        }
        return YAMLNode(content: content, line: event.line, column: event.column)
    }

    private func sequence(depth: Int) throws(YAMLError) -> [YAMLNode] {
        var nodes: [YAMLNode] = []
        while true {
            let event = try next()
            if event.kind == .sequenceEnd { return nodes }
            nodes.append(try node(event, depth: depth))
        }
    }

    private func mapping(depth: Int) throws(YAMLError) -> [YAMLMember] {
        var members: [YAMLMember] = []
        var lines: [String: Int] = [:]
        while true {
            let event = try next()
            if event.kind == .mappingEnd { return members }
            guard case .scalar(let name, _) = event.kind else {
                throw event.failure(
                    "has \(event.kind == .sequenceStart ? "a list" : "a mapping") where a name should be")
            }
            if let first = lines.updateValue(event.line, forKey: name) {
                let shown = name.count > 100 ? name.prefix(100) + "…" : name
                throw event.failure("has \"\(shown)\" twice, first on line \(first)")
            }
            let value = try node(next(), depth: depth)
            members.append(YAMLMember(name: name, value: value, line: event.line, column: event.column))
        }
    }

    private func next() throws(YAMLError) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
        defer { yaml_event_delete(&event) }
        let (line, column) = (event.start_mark.line + 1, event.start_mark.column + 1)
        /// Refuses an alias, an anchor or a tag.
        func refuse(_ what: String, _ name: UnsafeMutablePointer<UInt8>?) throws(YAMLError) {
            guard let name else { return }
            let shown = String(cString: name).prefix(100)
            throw YAMLError(
                reason: "has \(what)\(shown)), which is not supported", line: line, column: column)
        }
        let kind: Event.Kind
        switch event.type {
        case YAML_ALIAS_EVENT:
            try refuse("an alias (*", event.data.alias.anchor)
            preconditionFailure("an alias has a name")
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            try refuse("an anchor (&", scalar.anchor)
            try refuse("a tag (", scalar.tag)
            let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            kind = .scalar(
                String(decoding: text, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            try refuse("an anchor (&", event.data.sequence_start.anchor)
            try refuse("a tag (", event.data.sequence_start.tag)
            kind = .sequenceStart
        case YAML_MAPPING_START_EVENT:
            try refuse("an anchor (&", event.data.mapping_start.anchor)
            try refuse("a tag (", event.data.mapping_start.tag)
            kind = .mappingStart
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_STREAM_START_EVENT: kind = .streamStart
        default: kind = .streamEnd
        }
        return Event(kind: kind, line: line, column: column)
    }

    private func syntaxError() -> YAMLError {
        let problems = [parser.pointee.problem, parser.pointee.context].compactMap(\.self)
        let problem = problems.map { String(cString: $0) }.joined(separator: ", ")
        let reason =
            problem.contains("cannot start any token")
            ? "is not valid YAML: a tab, or another character that can't begin a value; indent with spaces"
            : "is not valid YAML: " + problem
        guard parser.pointee.error == YAML_READER_ERROR else {
            let mark = parser.pointee.problem_mark
            return YAMLError(reason: reason, line: mark.line + 1, column: mark.column + 1)
        }
        // For a character that YAML forbids, libyaml gives only the offset.
        let before = String(decoding: bytes.prefix(parser.pointee.problem_offset), as: UTF8.self)
        return YAMLError(reason: reason, line: before.count(where: \.isNewline) + 1)
    }
}
