import Model
import Services
import StrictJSON

extension UpstreamFormat<User> {
    /// Users of a directory that a format describes.
    /// - Parameter now: to tell ages by.
    package static func directory(
        _ format: DirectoryFormat, now: @escaping @Sendable () -> Timestamp
    ) -> UpstreamFormat {
        let reader = UserReader(format)
        return UpstreamFormat(format, reading: reader.tree.declaration) { record, found throws(FormatError) in
            try reader.read(record, now: now, into: &found)
        }
    }
}

extension UpstreamFormat<NewFact> {
    /// Facts of a list of short texts.
    package static func list(_ format: DirectoryFormat) -> UpstreamFormat {
        let reader = FactReader(format)
        return UpstreamFormat(format, reading: reader.tree.declaration) { record, found throws(FormatError) in
            found.records.append(try reader.read(record.raw.value) { record.error($0) })
        }
    }
}

extension OneFactFormat {
    /// A record of that format alone, or as the first of a list.
    package static func record(of format: DirectoryFormat) -> OneFactFormat {
        let reader = FactReader(format)
        let record = reader.tree.declaration
        let answer = record.or(.list(of: record))
        let decode = { @Sendable (node: JSONNode) throws(FormatError) -> NewFact in
            guard node.kind == .array else { return try reader.read(node.value, node.error) }
            guard let first = try node.list().first else { throw node.error("no fact") }
            return try reader.read(first.value, first.error)
        }
        return OneFactFormat(
            answer: answer, decode: decode,
            // A fact may be called a title or a message, as errors are.
            complaint: { body in
                (try? decode(JSONNode(body, reading: answer))) == nil ? UpstreamComplaint(anyIn: body) : nil
            })
    }
}

extension UpstreamFormat {
    /// - Parameter record: what of a record is read.
    fileprivate init(
        _ format: DirectoryFormat, reading record: JSONDeclaration,
        _ read: @escaping @Sendable (JSONRecord, inout FoundRecords<Record>) throws(FormatError) -> Void
    ) {
        let parameters = [format.paging.size, format.paging.style == .cursor ? nil : format.paging.param]
            .compactMap(\.self)
        let envelope = Envelope(format, record: record, keeping: Set(parameters))
        let pager = Pager(paging: format.paging)
        self.init(
            name: format.name, fingerprint: format.fingerprint, isStrict: true,
            tellsAges: format.tellsAges, answer: envelope.declaration, parameters: parameters,
            pageURL: { settings, page throws(UpstreamError) in try pager.url(settings, page) },
            decodePage: { node, response, settings, page throws(FormatError) in
                var found = FoundRecords<Record>()
                let opened = try envelope.open(node, response)
                if let list = opened.list { try found.take(list, read) }
                let told = Pager.Told(
                    records: found.count, next: opened.next, total: opened.total)
                let next = pager.next(after: page, told, settings)
                let isCut = next.map { !settings.allows(page: $0.number) } ?? false
                return Page(
                    records: found.records, next: isCut ? nil : next, total: opened.total,
                    leftOut: found.leftOut, isCut: isCut)
            },
            complaint: envelope.complaint)
    }
}
