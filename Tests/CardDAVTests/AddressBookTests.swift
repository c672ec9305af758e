import Model
import Reads
import Synchronization
import Testing
import UserdAPI

@testable import Cache
@testable import CardDAV

@Suite("The cards of an address book")
struct AddressBookTests {
    /// A cache whose reads are counted.
    private struct Rig {
        let cache: Cache
        let responder: Responder
        private let reads = Counted()

        private final class Counted: Sendable { let indexes = Mutex(0) }

        /// How often the digests of all cards were made.
        var indexes: Int { reads.indexes.withLock { $0 } }

        init(_ query: BookQuery = BookQuery()) async throws {
            let reads = reads
            cache = try await Cache.live(
                path: ":memory:", newEpoch: "epoch", now: { Timestamp(milliseconds: 0) },
                random: { $0.lowerBound }
            ) {
                $0.before = { if $0 == .book { reads.indexes.withLock { $0 += 1 } } }
            }
            responder = Responder(book: AddressBook(query, ReadMethods(cache.reader)))
        }

        func sync(_ ids: [String], number: Int, department: String? = nil) async throws {
            try await cache.writer.beginStaging(.users, number)
            let users = ids.map { id in
                User(id: id, name: User.Name(first: "Ada", last: "no. \(Array(id.utf8).count)")) {
                    $0.department = department
                    $0.picture = User.Picture(thumbnail: "http://a.test/\(id)")
                }
            }
            _ = try await cache.writer.stageUsers(Page(records: users), 1, number)
            _ = try await cache.writer.commit(.users, number, .atOnce) { rows in
                let state = State(
                    epoch: "", index: 0, resource: .users, phase: .loaded, since: Timestamp(milliseconds: 0),
                    cause: .requested, count: rows.after, syncedAt: Timestamp(milliseconds: 0), stale: false)
                return Change(
                    transition: state, resource: SavedResource(state: state, interval: .seconds(60)))
            }
        }

        func ask(_ method: String, _ path: String, _ request: DAVRequest? = nil) async throws -> (
            status: Int, text: String
        ) {
            let answer = try await responder.answer(
                method, path[...], depth: "1", ifNoneMatch: [], accept: nil, request)
            let bytes = Mutex<[UInt8]>([])
            switch answer.body {
            case .whole(let whole): return (answer.status, String(decoding: whole, as: UTF8.self))
            case .parts(let write):
                try await write { part in bytes.withLock { $0 += part } }
                return (answer.status, String(decoding: bytes.withLock { $0 }, as: UTF8.self))
            }
        }

        func multiget(_ ids: [String]) async throws -> (status: Int, text: String) {
            var request = DAVRequest(kind: .multiget)
            request.properties = .some([Properties.etag, Properties.data])
            request.references = ids.map { .card(id: $0) }
            return try await ask("REPORT", Resource.bookPath, request)
        }
    }

    @Test("Ids that are equal only to Unicode are two people's: each is listed, and gets their own card")
    func bytes() async throws {
        // An accent as a part of its letter, and after it.
        let ids = ["caf\u{e9}", "cafe\u{301}", "\u{212a}", "K"]
        let rig = try await Rig()
        try await rig.sync(ids, number: 1)
        let list = try await rig.ask("PROPFIND", Resource.bookPath, .allProperties).text
        let cards = try await rig.multiget(ids + ["absent"]).text
        var request = DAVRequest(kind: .query)
        request.properties = .some([Properties.data])
        let all = try await rig.ask("REPORT", Resource.bookPath, request).text
        for id in ids {
            #expect(list.contains(Resource.path(ofCard: id)))
            let card = try await rig.ask("GET", Resource.path(ofCard: id)).text
            let uid = card.split(separator: "\r\n").first { $0.hasPrefix("UID:") } ?? ""
            #expect(uid.utf8.elementsEqual("UID:\(id)".utf8))
            for text in [cards, all] {
                #expect(Array(text.utf8).firstRange(of: Array("UID:\(id)".utf8)) != nil)
            }
        }
        #expect(cards.components(of: "404 Not Found") == 1)
    }

    @Test("Only a commit that may change a card has the digests of all cards made again")
    func counted() async throws {
        let rig = try await Rig(BookQuery(hasPictures: true))
        func list() async throws -> Int {
            #expect(try await rig.ask("PROPFIND", Resource.bookPath, .allProperties).status == 207)
            return rig.indexes
        }
        func keep(_ content: [UInt8]) async throws {
            try await rig.cache.pictures.keep(
                FoundPicture(
                    userID: "1", size: .thumbnail, url: "http://a.test/1",
                    picture: FetchedPicture(content: content, contentType: "image/png")), nil, .max)
        }
        try await rig.sync(["1", "2"], number: 1)
        #expect(try await (list(), list()) == (1, 1))
        try await rig.sync(["1", "2"], number: 2)
        #expect(try await list() == 1)
        try await rig.sync(["1", "2", "3"], number: 3)
        #expect(try await (list(), list()) == (2, 2))
        try await keep([1, 2, 3])
        #expect(try await (list(), list()) == (3, 3))
        // The same picture again, as from an upstream without validators.
        try await keep([1, 2, 3])
        try await rig.cache.pictures.settle("http://a.test/1", .unchanged, nil)
        #expect(try await list() == 3)
        try await rig.cache.pictures.settle("http://a.test/1", .absent, nil)
        #expect(try await list() == 4)
    }

    @Test("Cards that are asked for by name need no digests of all")
    func single() async throws {
        let rig = try await Rig(BookQuery(department: "Sales", maximum: 1))
        for status in [503, 404] {
            #expect(try await rig.ask("GET", Resource.path(ofCard: "1")).status == status)
            #expect(
                try await rig.ask("PROPFIND", Resource.path(ofCard: "1"), .allProperties).status == status)
            #expect(try await rig.multiget(["1"]).status == (status == 503 ? 503 : 207))
            if status == 503 { try await rig.sync(["1"], number: 1, department: "Legal") }
        }
        try await rig.sync(["1", "2"], number: 2, department: "Sales")
        #expect(try await rig.ask("GET", Resource.path(ofCard: "2")).status == 200)
        #expect(try await rig.multiget(["2", "1"]).text.components(of: "BEGIN:VCARD") == 2)
        #expect(rig.indexes == 0)
        #expect(try await rig.ask("PROPFIND", Resource.bookPath, .allProperties).status == 507)
    }

    @Test("A first sync that finds nobody makes an empty book of one that was unknown")
    func empty() async throws {
        let rig = try await Rig()
        #expect(try await rig.ask("PROPFIND", Resource.bookPath, .allProperties).status == 503)
        try await rig.sync([], number: 1)
        #expect(try await rig.ask("PROPFIND", Resource.bookPath, .allProperties).status == 207)
    }
}

extension String {
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
