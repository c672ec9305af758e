import Model
import Services
import StrictJSON

/// What is around the records of a page.
struct Envelope: Sendable {
    private let format: DirectoryFormat
    private let reader: RecordReader
    private let records: Int
    private let next: Int?
    private let total: Int?
    private let more: Int?
    private let base: Int?
    private let signs: MoreSigns?

    /// What is around the records of one page.
    struct Opened {
        var list: JSONValue?
        /// The cursor or address of the next page.
        var next: String?
        /// In the whole list.
        var total: Int?
        /// Whether there is more; nil where the answer says neither.
        var more: Bool?
        /// Where something is that was looked for.
        fileprivate var found: JSONRecord?
    }

    init(_ format: DirectoryFormat) {
        self.format = format
        var reader = RecordReader()
        records = reader.add(format.records)
        next = format.paging.from.map { reader.add($0) }
        total = format.paging.total.map { reader.add($0) }
        more = format.paging.more.map { reader.add($0) }
        base = format.paging.base.map { reader.add($0) }
        signs = format.repeats ? nil : MoreSigns(besides: format.paging, in: &reader)
        self.reader = reader
    }

    /// What of an answer is read.
    /// - Parameters:
    ///   - pointers: to what is read of a record.
    ///   - names: of parameters whose values are recorded.
    func whole(_ pointers: [Pointer], keeping names: Set<String>) -> RecordReader {
        var whole = RecordReader()
        for list in format.lists {
            for pointer in pointers { whole.add(list.appending([.each] + pointer.steps)) }
        }
        let isAddress =
            format.paging.style == .url || format.paging.style == .number && format.paging.seed == nil
        let redacted: @Sendable (String) -> String = { recorded(nextPage: $0, keeping: names) }
        if let from = format.paging.from { whole.add(from, change: isAddress ? redacted : nil) }
        if let base = format.paging.base { whole.add(base, change: redacted) }
        for pointer in [format.paging.total, format.paging.more].compactMap(\.self) { whole.add(pointer) }
        return whole
    }

    func open(_ answer: JSONValue, _ response: HTTPResponse) throws(FormatError) -> Opened {
        if format.takesBareList, let elements = answer.elements {
            return Opened(list: answer, total: elements.count)
        }
        let found = reader.read(answer)
        let total = total.flatMap { found[$0]?.scalar }.flatMap(Int.init).flatMap {
            0...Int(Int32.max) ~= $0 ? $0 : nil
        }
        return Opened(
            list: try list(found[records], in: answer, total: total),
            next: format.paging.style == .link ? response.headers.nextLink : nextPage(found), total: total,
            more: more.flatMap { found[$0]?.saysMore }, found: found)
    }

    /// An address without a scheme and a host follows the base, as Confluence has it.
    private func nextPage(_ found: JSONRecord) -> String? {
        guard let next = next.flatMap({ found[$0]?.scalar }) else { return nil }
        let isWhole = next.hasPrefix("//") || next.prefix { !"/?#".contains($0) }.hasSuffix(":")
        guard !isWhole, let base = base.flatMap({ found[$0]?.scalar }) else { return next }
        let rest = base.hasSuffix("/") ? next.trimmingPrefix("/") : next[...]
        let isApart = base.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("?")
        return "\(base)\(isApart ? "" : "/")\(rest)"
    }

    /// What upstream seems to have more than the pages up to this one, for people.
    func tellsMore(_ opened: Opened, _ response: HTTPResponse, after records: Int) -> String? {
        signs?.found(in: opened.found, response, after: records)
    }

    /// A list that is null is empty, unless records are said to be there; so is one that is absent where the answer says that
    /// there are none, or is Google's, which leaves it out.
    private func list(_ value: JSONValue?, in answer: JSONValue, total: Int?) throws(FormatError)
        -> JSONValue?
    {
        if let value, !value.isNull {
            guard value.kind == .array else {
                throw FormatError(
                    place: format.records.description, "expected a list, found \(value.kind.found)")
            }
            return value
        }
        let others = answer.lists
        let isGoogle =
            answer["kind"]?.string == "admin#directory#users"
            && !DirectoryFormat.defaults.contains(format.name)
        let isKnown = value != nil || total == 0 || isGoogle
        guard isKnown, others.isEmpty, (total ?? 0) == 0, answer.kind == .object else {
            let there = others.isEmpty ? "" : "; there is a list at \(others.joined(separator: " and at "))"
            let section = format.fields[FactField.text.rawValue] == nil ? "users" : "facts"
            throw FormatError("no list at \"\(format.records)\"\(there); see \(section).records")
        }
        return nil
    }

    /// An object with an error in place of the list, or behind the records of a list that it cuts off.
    var complaint: @Sendable (JSONValue) -> UpstreamComplaint? {
        { body in
            guard let list = reader.read(body)[records], list.kind == .array else {
                return body.kind == .object ? UpstreamComplaint(anyIn: body) : nil
            }
            // To look for the last of many takes time, and most lists do not end so.
            guard String(decoding: list.raw.suffix(2048), as: UTF8.self).contains("\"error"),
                let last = list.elements?.last, last["error"] ?? last["errorMessage"] != nil,
                last["id"] == nil
            else { return nil }
            return UpstreamComplaint(anyIn: last)
        }
    }
}

extension DirectoryFormat {
    /// Where the list of records may be.
    var lists: [Pointer] { takesBareList ? [records, .whole] : [records] }
}

extension JSONValue {
    /// Of a member that says whether there is more; nil where it says neither.
    fileprivate var saysMore: Bool? {
        switch kind {
        case .object, .array: nil
        case .null: false
        case .bool, .number, .string: !["", "false", "no", "0"].contains(scalar?.lowercased() ?? "")
        }
    }

    /// Pointers to lists of objects that are members of this value, for messages.
    fileprivate var lists: [String] {
        (members(upTo: FormatLimits.members) ?? []).filter {
            $0.value.elements(upTo: 1)?.first?.kind == .object
        }.prefix(3).map { "/" + $0.name.shown(upTo: 40) }
    }
}
