import HTTP
import Model
import StrictJSON

/// Reads everything around the records of a page.
struct Envelope: Sendable {
    private let format: DirectoryFormat
    private let reader: RecordReader
    private let records: Int
    /// Set if `users.records` has `*`.
    private let branches: Branches?
    /// Set if further kinds are listed.
    private let others: Int?
    private let shape: RecordShape
    private let next: Int?
    /// Top-level members of paging, and those in which Google's APIs say what an answer is.
    private let plainMembers: Set<String>
    private let total: Int?
    private let more: Int?
    private let base: Int?
    private let changeToken: Int?
    /// Nil if a list may end before its total.
    let hints: UnfollowedPageHints?
    /// GraphQL's errors, next to its data.
    private let errors: Int?

    /// The values around the records of one page.
    struct Opened {
        var lists: [List]
        var facts: PageFacts
        var changeToken: String?
    }

    /// A list of records, or a single record, with its name in an object.
    typealias List = (key: String?, value: JSONValue)

    init(_ format: DirectoryFormat) {
        self.format = format
        var reader = RecordReader()
        let split = Branches.split(format.records)
        records = reader.add(split?.stem ?? format.records)
        branches = split?.1
        others = format.listedOthers.map { reader.add($0) }
        shape = RecordShape(format)
        next = format.paging.from.map { reader.add($0) }
        let paging = format.paging
        plainMembers = Set(
            [paging.from, paging.total, paging.more, format.changes?.token].compactMap {
                if case .named(let name)? = $0?.steps.first { name.asciiLowercased } else { nil }
            } + ["kind", "etag"])
        total = format.paging.total.map { reader.add($0) }
        more = format.paging.more.map { reader.add($0) }
        base = format.paging.base.map { reader.add($0) }
        changeToken = format.changes.map { reader.add($0.token) }
        hints = format.repeats ? nil : UnfollowedPageHints(besides: format)
        let isWithinData = format.records.steps.count > 1 && format.records.steps[0] == .named("data")
        errors = isWithinData ? reader.add(Pointer(path: ["errors"])) : nil
        self.reader = reader
    }

    /// Reduces an answer to the parts that userd uses.
    /// - Parameters:
    ///   - pointers: to the members of a record that are read.
    ///   - names: parameters whose values are recorded.
    func kept(of answer: JSONValue, _ pointers: [Pointer], keeping names: Set<String>) -> [UInt8] {
        var whole = RecordReader()
        for list in format.lists {
            for pointer in pointers { whole.add(pointer, below: list.steps + [.each]) }
        }
        // For a single record, and for one that is the value of a member.
        for pointer in pointers { whole.add(pointer, below: format.records.steps) }
        let isAddress =
            format.paging.style == .url || format.paging.style == .number && format.paging.seed == nil
        let redacted: @Sendable (String) -> String = { recorded(nextPage: $0, keeping: names) }
        if let from = format.paging.from { whole.add(from, change: isAddress ? redacted : nil) }
        if let base = format.paging.base { whole.add(base, change: redacted) }
        for pointer in [format.paging.total, format.paging.more].compactMap(\.self) { whole.add(pointer) }
        // An empty page of Google has no list.
        if !format.repeats { whole.add(Pointer(path: ["kind"])) }
        for hint in hints?.found(in: answer, [:], after: 0, last: 0, sizes: []) ?? [] where hint.isClear {
            if let pointer = hint.place { whole.add(pointer, change: redacted) }
        }
        return whole.kept(of: answer)
    }

    func open(_ answer: JSONValue, _ response: HTTPResponse, to page: PageRequest) throws(FormatError)
        -> Opened
    {
        if format.takesBareList, let elements = answer.elements {
            return Opened(lists: [(nil, answer)], facts: PageFacts(total: elements.count))
        }
        let found = reader.read(answer)
        let total = total.flatMap { found[$0]?.scalar }.flatMap(Int.init).flatMap {
            0...Int(Int32.max) ~= $0 ? $0 : nil
        }
        let says = more.flatMap { found[$0]?.saysMore }
        let next =
            switch format.paging.style {
            case .link: response.headers.nextLink
            case _ where format.paging.header != nil: format.paging.header.flatMap { response.headers[$0] }
            default: nextPage(found)
            }
        let hasAll = total.map { $0 <= page.offset ?? 0 }
        // The page's own statement takes precedence over the total.
        let saysEnd = says.map { !$0 } ?? hasAll ?? self.next.flatMap { found[$0] }.map { _ in next == nil }
        var lists = try lists(
            found[records], in: answer, isFirst: page.number == 1 && !format.isOfChanges, hasAll,
            saysEnd: saysEnd == true)
        if let others = others.flatMap({ found[$0] }), others.kind == .array { lists.append((nil, others)) }
        return Opened(
            lists: lists,
            facts: PageFacts(next: next, total: total, more: says),
            changeToken: changeToken.flatMap { found[$0]?.scalar })
    }

    /// Appends an address without scheme and host to the base, as Confluence requires.
    private func nextPage(_ found: JSONRecord) -> String? {
        guard let value = next.flatMap({ found[$0] }), let next = value.scalar else { return nil }
        // authentik has 0 on the last page, others false. A seed may be anything, and `true` says that there is more.
        guard format.paging.seed != nil || !["0", "false", ""].contains(next) else { return nil }
        let isWhole = next.hasPrefix("//") || next.prefix { !"/?#".contains($0) }.hasSuffix(":")
        guard !isWhole, let base = base.flatMap({ found[$0]?.scalar }) else { return next }
        let rest = base.hasSuffix("/") ? next.trimmingPrefix("/") : next[...]
        let isApart = base.hasSuffix("/") || rest.hasPrefix("/") || rest.hasPrefix("?")
        return "\(base)\(isApart ? "" : "/")\(rest)"
    }

    /// Nil if the answer has no records.
    func lists(in answer: JSONValue) -> [List]? {
        guard let value = reader.read(answer)[records] else { return nil }
        let lists = lists(below: value)
        return lists.isEmpty && !isPage(value) ? nil : lists
    }

    /// A null list is empty, unless the answer says that there are more records; so is a missing list if the
    /// answer says that there are no more, or has no member but those of paging: Google and protobuf omit empty
    /// lists.
    /// - Parameters:
    ///   - hasAll: whether earlier pages have all records of the total; nil if the answer has no total.
    ///   - saysEnd: whether the answer says that the list ends here.
    private func lists(
        _ value: JSONValue?, in answer: JSONValue, isFirst: Bool, _ hasAll: Bool?, saysEnd: Bool
    ) throws(FormatError) -> [List] {
        if let value, !value.isNull {
            let lists = lists(below: value)
            // Without any team, teams have no members.
            if !lists.isEmpty || branches != nil && value.isEmpty { return lists }
            guard branches != nil, [.array, .object].contains(value.kind) else {
                throw FormatError(
                    place: format.records.description, found(value),
                    setting: value.lists(depth: 2).isEmpty ? nil : setting)
            }
        }
        let others = answer.lists(depth: 1)
        let members = answer.members(upTo: FormatLimits.members) ?? []
        let isPlain = !format.repeats && members.allSatisfy { plainMembers.contains($0.name.asciiLowercased) }
        let isEmpty =
            isFirst
            ? value?.isNull == true || hasAll == true || isPlain && answer["kind"] != nil
            : value?.isNull == true || saysEnd || isPlain
        guard isEmpty, others.isEmpty, saysEnd || hasAll != false, answer.kind == .object else {
            throw FormatError("no list at \"\(format.records)\"\(lists(of: answer))", setting: setting)
        }
        return []
    }

    /// An object in place of a list counts if it is a record.
    private func lists(below value: JSONValue) -> [List] {
        guard let branches else {
            return isPage(value) ? [(nil, value)] : []
        }
        return branches.values(in: value).compactMap { key, value in
            value.flatMap { $0.isNull ? nil : (key, $0) }
        }
    }

    private func found(_ value: JSONValue) -> String {
        let isMap = value.members(upTo: 1)?.first?.value.kind == .object
        let there = lists(of: value, at: format.records.description)
        return "expected a list, found \(value.kind.found)"
            + (there.isEmpty && isMap ? "; if its values are the records, write \(format.records)/*" : there)
    }

    private var setting: String { "\(format.isOfFacts ? "facts" : "users").records" }

    private func lists(of value: JSONValue, at place: String = "") -> String {
        let lists = value.lists(depth: 2).map { place + $0 }
        return lists.isEmpty ? "" : "; there is a list at \(lists.joined(separator: " and at "))"
    }

    /// Finds an error in place of the list, or one that cuts the list off after some records.
    func complaint(in body: JSONValue) -> UpstreamComplaint? {
        let found = reader.read(body)
        guard let list = found[records], isPage(list) else {
            // A message beside a list is no error.
            let isError = { (place: String) in place.contains("err") || place.hasPrefix("/detail") }
            let errors = [body["errors"], body["error"]].compactMap(\.self)
            guard
                body.lists(depth: 2).allSatisfy(isError)
                    || errors.contains(where: { UpstreamComplaint(anyIn: $0) != nil })
            else { return nil }
            let isEmpty = found[records]?.isNull == true
            return [body, found[records]].lazy.compactMap(\.self).filter { $0.kind == .object }
                .compactMap { UpstreamComplaint(anyIn: $0, isEmpty: isEmpty) }.first
        }
        if let errors = errors.flatMap({ found[$0] }), let complaint = UpstreamComplaint(anyIn: errors) {
            return complaint
        }
        // Looking up the last of many records takes time, and most lists do not end with an error.
        guard String(decoding: list.raw.suffix(2048), as: UTF8.self).contains("\"error"),
            let last = list.elements?.last, last["error"] ?? last["errorMessage"] != nil,
            last["id"] == nil
        else { return nil }
        return UpstreamComplaint(anyIn: last)
    }
}

extension Envelope {
    /// Whether the value at the pointer to the records holds records, and not an error.
    private func isPage(_ value: JSONValue) -> Bool {
        guard branches != nil else { return value.kind == .array || shape.isRecord(value) }
        let records = lists(below: value).flatMap { $0.value.elements(upTo: 8) ?? [$0.value] }
        return records.isEmpty
            ? value.kind == .array || value.kind == .object : records.contains(where: shape.isRecord)
    }

    /// Finds members that each record has and errors lack: an id and a name of a user, the text of a fact.
    private struct RecordShape: Sendable {
        private let reader: RecordReader
        private let groups: [[ValuePlace]]

        init(_ format: DirectoryFormat) {
            var reader = RecordReader()
            func places(_ fields: [String]) -> [ValuePlace] {
                fields.flatMap { format.fields[$0]?.places ?? [] }.map {
                    ValuePlace($0.pointer, in: &reader)
                }
            }
            let names = UserField.identifying.map(\.name)
            // `/@key` does not count as an id: an error has a name in its object, too.
            let hasIDs = format.fields["id"]?.places.map(\.pointer) != [ValuePlace.key]
            groups =
                format.isOfFacts
                ? [places(["text"])] : (hasIDs ? [places(["id"])] : []) + [places(names)]
            self.reader = reader
        }

        func isRecord(_ value: JSONValue) -> Bool {
            guard value.kind == .object else { return false }
            let record = reader.read(value)
            return groups.allSatisfy { $0.contains { record.has($0) } }
        }
    }
}

extension DirectoryFormat {
    /// Pointers at which the list of records may be.
    var lists: [Pointer] {
        (takesBareList ? [records, .whole] : [records]) + [listedOthers].compactMap(\.self)
    }

    fileprivate var listedOthers: Pointer? { hasOtherKinds ? others : nil }

    fileprivate var isOfFacts: Bool { fields[FactField.text.rawValue] != nil }
}

extension JSONValue {
    /// Reads a member that says whether there is more; nil if its value says neither.
    fileprivate var saysMore: Bool? {
        switch kind {
        case .object, .array: nil
        case .null: false
        case .bool, .number, .string: !["", "false", "no", "0"].contains(scalar?.lowercased() ?? "")
        }
    }

    /// Pointers to lists of objects within this value, for messages.
    fileprivate func lists(depth: Int) -> [String] {
        let found = (members(upTo: FormatLimits.members) ?? []).flatMap { name, value in
            let isList = value.elements(upTo: 1)?.first?.kind == .object
            return (isList ? [""] : depth > 1 ? value.lists(depth: depth - 1) : []).map {
                "/\(name.shown(upTo: 40))\($0)"
            }
        }
        return Array(found.prefix(3))
    }
}
