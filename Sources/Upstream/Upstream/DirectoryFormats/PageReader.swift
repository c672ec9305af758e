import FoundationEssentials
import HTTP
import Model
import StrictJSON

/// Makes records of JSON.
package protocol RecordsReader: Sendable {
    associatedtype Record: Sendable
    var reader: RecordReader { get }
    /// Pointers to everything that is read of a record.
    var pointers: [Pointer] { get }
    /// - Parameter url: the address of the list.
    func read(_ record: JSONRecord, from url: URL, into page: inout Page<Record>) throws(FormatError)
}

/// Requests the pages of a list in a format, and reads the answers. A value, without I/O.
package struct PageReader<Records: RecordsReader>: Sendable {
    package let format: DirectoryFormat
    package let settings: UpstreamSettings
    package let records: Records
    /// Query parameters that choose pages and records; their values are recorded.
    package let parameters: [String]
    /// Differs between formats that read pages differently.
    private let fingerprint: String
    private let envelope: Envelope
    private let pager: Pager

    package init(_ format: DirectoryFormat, _ settings: UpstreamSettings, _ records: Records) {
        (self.format, self.settings, self.records) = (format, settings, records)
        let paging = format.paging
        parameters = [paging.size, paging.style == .cursor ? nil : paging.param, paging.seed]
            .compactMap(\.self)
        fingerprint = format.name + format.fingerprint
        (envelope, pager) = (Envelope(format), Pager(paging: paging))
    }

    /// Set for directories: a total that is not reached, a next page that came before and two pages in a row
    /// without a new record fail the sync.
    package var requiresConsistentPages: Bool { !format.repeats }

    /// The request for a page, without credentials.
    package func request(_ page: PageRequest) throws(UpstreamError) -> HTTPRequest {
        var request = try pager.request(settings, page)
        request.recordedParameters = Set(parameters)
        request.recordedHeaders = format.paging.header.map { [$0] } ?? []
        return request
    }

    /// A digest of all that the page depends on except the answer.
    package func key(of request: HTTPRequest, now: Timestamp) -> String {
        let day = format.agesDependOnToday ? String(now.description.prefix(10)) : nil
        return Digest.pageKey(request, format: fingerprint, settings, on: day)
    }

    /// The parts of an answer that are read, as they are recorded.
    package func kept(of answer: JSONValue) -> [UInt8] {
        envelope.kept(of: answer, records.pointers, keeping: Set(parameters))
    }

    /// Reads an error in this format; nil if the answer is a page. Independent of the status.
    package func complaint(in answer: JSONValue) -> UpstreamComplaint? { envelope.complaint(in: answer) }

    package func read(
        _ answer: JSONValue, _ response: HTTPResponse, to request: PageRequest
    ) throws(FormatError) -> Page<Records.Record> {
        let opened = try envelope.open(answer, response, to: request)
        var page = Page<Records.Record>()
        if request.number == 1 { page.shape = ListShape() }
        var number = 0
        try Envelope.forEachRecord(in: opened.lists, answer, records.reader) {
            record throws(FormatError) in
            number += 1
            do throws(FormatError) { try records.read(record, from: settings.url, into: &page) } catch {
                throw FormatError(place: "record \(number)", error.reason, setting: error.setting)
            }
        }
        if request.number == 1, page.unread.unidentified == page.sent, let reason = page.unread.reason {
            throw FormatError(reason, setting: page.unread.setting)
        }
        if page.shape?.surveyed == 0 { page.shape = nil }
        var facts = opened.facts
        facts.records = page.sent
        follow(request, facts, &page)
        if page.next == nil { page.changeToken = opened.changeToken }
        if page.end == .onePage || page.end == .noNext {
            addHints(answer, response, after: (request.offset ?? 0) + page.sent, &page)
        }
        return page
    }

    private func follow(_ request: PageRequest, _ facts: PageFacts, _ page: inout Page<Records.Record>) {
        let paging = format.paging
        page.end = pager.end(after: request, facts, settings)
        let next = pager.next(after: request, facts, settings)
        let isCut = next.map { !settings.allows(page: $0.number) } ?? false
        page.next = isCut ? nil : next
        // On an endless upstream, the last page that is fetched is full.
        page.isCut = isCut && (paging.seed == nil || facts.records == settings.pageSize)
        page.total =
            paging.seed == nil
            ? facts.total
            : page.next == nil ? (request.offset ?? 0) + facts.records : settings.mostRecords
        // With steps of whole pages, fewer records than the total may come.
        if paging.step == .size { page.total = nil }
    }

    private func addHints(
        _ answer: JSONValue, _ response: HTTPResponse, after count: Int, _ page: inout Page<Records.Record>
    ) {
        let sizes = settings.parameters.all.compactMap { Int($0.value) }
        let hints = envelope.hints?.found(
            in: answer, response.headers, after: count, last: page.sent,
            sizes: sizes + (format.paging.size == nil ? [] : [settings.pageSize]))
        page.more = hints?.first { $0.isClear }?.text
        page.hints = hints?.filter { !$0.isClear }.map(\.text) ?? []
    }
}

extension PageReader<UpstreamUserReader> {
    /// - Parameter now: for users' ages.
    package static func users(
        _ format: DirectoryFormat, _ settings: UpstreamSettings, fields: [UserField] = UserField.all,
        now: @escaping @Sendable () -> Timestamp
    ) -> Self {
        Self(format, settings, UpstreamUserReader(format, fields, now: now))
    }
}

extension PageReader<FactReader> {
    package static func facts(_ format: DirectoryFormat, _ settings: UpstreamSettings) -> Self {
        Self(format, settings, FactReader(format))
    }
}

extension Envelope {
    /// Reads each record of the lists, and single records.
    static func forEachRecord(
        in lists: [List], _ answer: JSONValue, _ reader: RecordReader,
        _ read: (JSONRecord) throws(FormatError) -> Void
    ) throws(FormatError) {
        var record = JSONRecord(answer)
        func add(_ value: JSONValue) throws(FormatError) {
            reader.read(value, into: &record)
            try read(record)
        }
        for list in lists {
            record.key = list.key.map { JSONValue(trusting: StrictJSON.quoted($0)) }
            if list.value.kind == .array { try list.value.forEachElement(add) } else { try add(list.value) }
        }
    }
}
