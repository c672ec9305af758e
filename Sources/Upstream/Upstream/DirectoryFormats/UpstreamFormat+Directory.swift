import FoundationEssentials
import HTTP
import Model
import StrictJSON

extension UpstreamFormat<User> {
    /// Users of a directory that a format describes.
    /// - Parameter now: for users' ages.
    package static func directory(
        _ format: DirectoryFormat, fields: [UserField] = UserField.all,
        now: @escaping @Sendable () -> Timestamp
    ) -> UpstreamFormat {
        let reader = UpstreamUserReader(format, fields)
        return UpstreamFormat(format, reader.reader, reader.pointers) {
            record, url, found throws(FormatError) in
            found.shape?.add(reader.slots.fields) { record.shapes(at: reader.slots[$0]) }
            try reader.read(record, from: url, now: now, into: &found)
        }
    }
}

extension UpstreamFormat<NewFact> {
    /// Facts of a list of short texts.
    package static func list(_ format: DirectoryFormat) -> UpstreamFormat {
        let reader = FactReader(format)
        return UpstreamFormat(format, reader.reader, format.pointers) {
            record, _, found throws(FormatError) in
            try reader.read(record, into: &found)
        }
    }
}

extension OneFactFormat {
    /// Reads a single record of the format, or the first of a list.
    package static func record(of format: DirectoryFormat) -> OneFactFormat {
        let reader = FactReader(format)
        var whole = RecordReader()
        for pointer in format.pointers {
            whole.add(pointer)
            whole.add(pointer, below: [.each])
        }
        let decode = { @Sendable (answer: JSONValue) throws(FormatError) -> NewFact in
            let record = answer.kind == .array ? answer.elements(upTo: 1)?.first : answer
            guard let record, record.members?.isEmpty != true else {
                throw FormatError("upstream has no matching fact")
            }
            var found = FoundRecords<NewFact>()
            try reader.read(reader.reader.read(record), into: &found)
            guard let fact = found.records.first else { throw FormatError("upstream has no matching fact") }
            return fact
        }
        return OneFactFormat(
            reader: whole, decode: decode,
            // A fact's member may be named `title` or `message`, like an error's.
            complaint: { body in (try? decode(body)) == nil ? UpstreamComplaint(anyIn: body) : nil })
    }
}

extension DirectoryFormat {
    /// Pointers to everything that is read of a fact.
    fileprivate var pointers: [Pointer] {
        FactField.allCases.flatMap { fields[$0.rawValue]?.places ?? [] }.flatMap { [$0.pointer] + $0.more }
    }
}

extension UpstreamFormat {
    /// - Parameters:
    ///   - reader: reads a record.
    ///   - pointers: to everything that is read of a record.
    ///   - read: gets the address of the list, too.
    fileprivate init(
        _ format: DirectoryFormat, _ reader: RecordReader, _ pointers: [Pointer],
        _ read: @escaping @Sendable (JSONRecord, URL, inout FoundRecords<Record>) throws(FormatError) -> Void
    ) {
        let paging = format.paging
        let parameters = [paging.size, paging.style == .cursor ? nil : paging.param, paging.seed]
            .compactMap(\.self)
        let envelope = Envelope(format)
        let pager = Pager(paging: paging)
        self.init(
            name: format.name, fingerprint: format.fingerprint, requiresConsistentPages: !format.repeats,
            agesDependOnToday: format.agesDependOnToday,
            kept: envelope.kept(pointers, keeping: Set(parameters)),
            lists: format.lists, parameters: parameters,
            request: { settings, page throws(UpstreamError) in try pager.request(settings, page) },
            decodePage: { answer, response, settings, page throws(FormatError) in
                let opened = try envelope.open(answer, response, to: page)
                let shape = page.number == 1 ? ListShape() : nil
                let found = try FoundRecords(in: opened.lists, answer, reader, shape: shape) {
                    record, found throws(FormatError) in try read(record, settings.url, &found)
                }
                if page.number == 1, found.unread.unidentified == found.count,
                    let reason = found.unread.reason
                {
                    throw FormatError(reason, setting: found.unread.setting)
                }
                let told = Pager.Told(
                    records: found.count, next: opened.next, total: opened.total, more: opened.more)
                let end = pager.end(after: page, told, settings)
                var next = pager.next(after: page, told, settings)
                let isCut = next.map { !settings.allows(page: $0.number) } ?? false
                if isCut { next = nil }
                var total = opened.total
                if paging.seed != nil {
                    total = next == nil ? (page.offset ?? 0) + found.count : settings.mostRecords
                }
                // With steps of whole pages, fewer records than the total may come.
                if paging.step == .size { total = nil }
                var result = DecodedPage(
                    records: found.records, next: next, total: total, leftOut: found.leftOut,
                    // On an endless upstream, the last page that is fetched is full.
                    isCut: isCut && (paging.seed == nil || found.count == settings.pageSize), end: end)
                result.unread = found.unread
                result.shape = found.shape.flatMap { $0.surveyed > 0 ? $0 : nil }
                if end == .onePage || end == .noNext {
                    let sizes = settings.parameters.all.compactMap { Int($0.value) }
                    let hints = envelope.hints?.found(
                        in: answer, response.headers, after: (page.offset ?? 0) + found.count,
                        last: found.count,
                        sizes: sizes + (paging.size == nil ? [] : [settings.pageSize]))
                    result.more = hints?.first { $0.isClear }?.text
                    result.hints = hints?.filter { !$0.isClear }.map(\.text) ?? []
                }
                return result
            },
            complaint: envelope.complaint)
        headers = paging.header.map { [$0] } ?? []
    }
}

extension FoundRecords {
    /// Reads each record of the lists, and single records; an error names the record by its number.
    init(
        in lists: [Envelope.List], _ answer: JSONValue, _ reader: RecordReader, shape: ListShape? = nil,
        _ read: (JSONRecord, inout Self) throws(FormatError) -> Void
    ) throws(FormatError) {
        self.init()
        self.shape = shape
        var (record, number) = (JSONRecord(answer), 0)
        func add(_ value: JSONValue) throws(FormatError) {
            number += 1
            reader.read(value, into: &record)
            do throws(FormatError) { try read(record, &self) } catch {
                throw FormatError(place: "record \(number)", error.reason, setting: error.setting)
            }
        }
        for list in lists {
            record.key = list.key.map { JSONValue(trusting: StrictJSON.quoted($0)) }
            if list.value.kind == .array { try list.value.forEachElement(add) } else { try add(list.value) }
        }
    }
}

extension JSONRecord {
    /// The kind of each value there, and the bytes of its text.
    fileprivate func shapes(at slots: [UpstreamUserReader.Slot]) -> [(kind: String, bytes: Int?)] {
        slots.flatMap { values(at: $0.place) }.compactMap { value in
            guard let value, value.kind != .null else { return nil }
            return ("\(value.kind)", value.scalar?.utf8.count)
        }
    }
}
