/// A value of a document, and what of it is read.
package struct JSONNode {
    private let source: JSONSource
    /// From the start of the document.
    private let range: Range<Int>
    /// In the source's shape.
    private let place: Int
    /// Whether the source has its members.
    private let isWalked: Bool

    /// - Parameter declared: members that it does not name are as good as absent; nil for all.
    package init(_ document: JSONValue, reading declared: JSONDeclaration? = nil) {
        self.init(
            JSONSource(document.raw, declared?.shape, document.longValues, origin: document.origin),
            0..<document.raw.count)
    }

    /// - Parameter value: a part of that document. All of it is read.
    package init(_ value: JSONValue, in document: JSONNode) {
        let start = value.raw.startIndex - document.source.document.startIndex
        self.init(document.source.with(nil), start..<start + value.raw.count)
    }

    private init(_ source: JSONSource, _ range: Range<Int>, at place: Int = 0, isWalked: Bool = false) {
        (self.source, self.range, self.place, self.isWalked) = (source, range, place, isWalked)
    }

    package var value: JSONValue {
        let start = source.document.startIndex
        return JSONValue(validated: source.document[start + range.lowerBound..<start + range.upperBound])
    }

    package var kind: JSONValue.Kind {
        JSONValue.Kind(
            first: range.isEmpty ? nil : source.document[source.document.startIndex + range.lowerBound])
    }

    package var path: JSONPlace {
        source.document.withUnsafeBufferPointer { JSONPlace(of: range.lowerBound, in: $0) }
    }

    package func error(_ reason: String) -> FormatError {
        FormatError(place: path.description, reason: reason)
    }

    package func mistyped(_ expected: String) -> FormatError {
        error("expected \(expected), found \(kind.found)")
    }

    package func object() throws(FormatError) -> JSONObject {
        guard kind == .object else { throw mistyped("an object") }
        if isWalked { return JSONObject(node: self, members: nil) }
        guard let shape = source.shape else {
            let members = value.members(upTo: FormatLimits.members + 1) ?? []
            guard members.count <= FormatLimits.members else { throw tooManyMembers() }
            return JSONObject(node: self, members: members)
        }
        let walked = place == 0 ? source.with(shape) : source
        if place == 0 {
            try source.document.withUnsafeBufferPointer { bytes throws(FormatError) in
                var walker = JSONWalker(
                    bytes: bytes, at: range.lowerBound, longValues: source.longValues, origin: source.origin)
                guard walked.findMembers(&walker) else { throw tooManyMembers(at: walker) }
            }
        }
        return JSONObject(node: JSONNode(walked, range, at: place, isWalked: true), members: nil)
    }

    /// - Parameter walker: at the object; nil for this one.
    private func tooManyMembers(at walker: JSONWalker? = nil) -> FormatError {
        let start = walker?.at ?? range.lowerBound
        return JSONNode(source, start..<start).error("more than \(FormatLimits.members) members")
    }

    /// Each element of a list, in order.
    package func forEach(
        upTo limit: Int = FormatLimits.records, of what: String = "records",
        _ body: (JSONNode) throws(FormatError) -> Void
    ) throws(FormatError) {
        guard kind == .array else { throw mistyped("a list") }
        let shape = source.shape.map { ($0.elements[place] ?? .nothing).shape }
        var element = JSONSource(source.document, shape)
        try source.document.withUnsafeBufferPointer { bytes throws(FormatError) in
            var walker = JSONWalker(bytes: bytes, at: range.lowerBound + 1)
            var count = 0
            while walker.findNext() {
                count += 1
                guard count <= limit else { throw error("more than \(limit) \(what)") }
                let start = walker.at
                guard shape != nil, bytes[start] == UInt8(ascii: "{") else {
                    try body(JSONNode(element, walker.skipValue()))
                    continue
                }
                // One serves for all, unless the body keeps a node.
                if !isKnownUniquelyReferenced(&element) { element = JSONSource(source.document, shape) }
                // The walk to its end finds its members.
                guard element.findMembers(&walker) else { throw tooManyMembers(at: walker) }
                try body(JSONNode(element, start..<walker.at, isWalked: true))
            }
        }
    }

    /// The elements of a list of very many.
    package func records(reading shape: RecordShape?) throws(FormatError) -> JSONRecords {
        guard kind == .array else { throw mistyped("a list") }
        let limit = FormatLimits.records
        var found = source.longValues.objects(ofList: range.lowerBound + source.origin) ?? []
        if found.isEmpty {
            source.document.withUnsafeBufferPointer { bytes in
                var walker = JSONWalker(bytes: bytes, at: range.lowerBound + 1)
                while found.count <= limit, walker.findNext() { found.append(walker.skipValue()) }
            }
        } else if source.origin > 0 {
            for place in found.indices {
                let range = found[place]
                found[place] = range.lowerBound - source.origin..<range.upperBound - source.origin
            }
        }
        let excess = found.count > limit ? error("more than \(limit) records") : nil
        return JSONRecords(source.document, Array(found.prefix(limit)), shape?.shape, excess: excess)
    }

    package func list(
        upTo limit: Int = FormatLimits.records, of what: String = "records"
    ) throws(FormatError) -> [JSONNode] {
        var list: [JSONNode] = []
        try forEach(upTo: limit, of: what) { list.append($0) }
        return list
    }

    package func text(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        guard kind == .string else { throw mistyped("a string") }
        let text = source.document.withUnsafeBufferPointer {
            StrictJSON.text(
                ofContent: UnsafeBufferPointer(rebasing: $0[range.lowerBound + 1..<range.upperBound - 1]))
        }
        guard text.utf8.count <= limit else { throw error("longer than \(limit) bytes") }
        return text
    }

    /// A string, or an integer as its digits.
    package func textOrInteger(upTo limit: Int = FormatLimits.textBytes) throws(FormatError) -> String {
        switch kind {
        case .string: return try text(upTo: limit)
        case .number where value.int != nil: return String(decoding: value.raw, as: UTF8.self)
        default: throw mistyped("a string or an integer")
        }
    }

    fileprivate func member(_ name: String) -> JSONNode? {
        guard let (place, range) = source.member(name, of: place) else { return nil }
        return JSONNode(
            source, range, at: place, isWalked: !(source.shape?.entries[place].members.isEmpty ?? true))
    }
}

/// The members of an object. One that is null counts as absent.
package struct JSONObject {
    fileprivate let node: JSONNode
    /// Nil if the node has those that are declared.
    fileprivate let members: [(name: String, value: JSONValue)]?

    package var path: JSONPlace { node.path }

    package subscript(_ name: String) -> JSONNode? { find(name).flatMap { $0.kind == .null ? nil : $0 } }

    private func find(_ name: String) -> JSONNode? {
        guard let members else { return node.member(name) }
        return members.first { $0.name == name }.map { JSONNode($0.value, in: node) }
    }

    package func required(_ name: String) throws(FormatError) -> JSONNode {
        if let found = self[name] { return found }
        throw FormatError(
            place: JSONPlace.member(name, of: path).description,
            reason: find(name) == nil ? "missing" : "null")
    }

    package func text(_ name: String) throws(FormatError) -> String? { try self[name]?.text() }

    package func object(_ name: String) throws(FormatError) -> JSONObject? { try self[name]?.object() }
}
