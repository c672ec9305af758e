import Model
import SQLite
import TestSupport
import Testing

@testable import Cache

@Suite("Address books in the cache")
struct BookTests {
    private let people = [
        user("1", "Ada", "Lovelace"), user("2", "Grace", "Hopper"), user("3", "Alan", "Turing"),
    ]

    @Test("The same users have the same digests, also after syncs and in another cache")
    func steady() async throws {
        let (cache, other) = (try await openCache(), try await openCache(epoch: "epoch-2"))
        try await cache.sync(users: people)
        try await other.sync(users: people)
        let first = try await cache.reader.book(BookQuery())
        #expect(Set(first.cards.map(\.id)) == ["1", "2", "3"])
        #expect(try await cache.reader.bookChangeToken() == first.changeToken)
        try await cache.sync(users: people, number: 2)
        let second = try await cache.reader.book(BookQuery())
        #expect(second.cards == first.cards && second.digest == first.digest)
        #expect(second.changeToken == first.changeToken)
        let elsewhere = try await other.reader.book(BookQuery())
        #expect(elsewhere.cards == first.cards && elsewhere.digest == first.digest)
        await cache.close()
        await other.close()
    }

    @Test("A change, a removal and an addition change the book's digest; a change that of one card")
    func changes() async throws {
        let cache = try await openCache()
        try await cache.sync(users: people)
        var digests = [try await cache.reader.book(BookQuery()).digest]
        let cards = Set(try await cache.reader.book(BookQuery()).cards)
        var people = people
        people[1].jobTitle = "Admiral"
        for (number, list) in [people, Array(people[1...]), people + [user("4", "Mary", "Shelley")]]
            .enumerated()
        {
            try await cache.sync(users: list, number: number + 2)
            let book = try await cache.reader.book(BookQuery())
            if number == 0 { #expect(Set(book.cards).subtracting(cards).map(\.id) == ["2"]) }
            digests.append(book.digest)
        }
        #expect(Set(digests).count == 4)
        await cache.close()
    }

    @Test("A search and a department choose, and a maximum cuts short")
    func chosen() async throws {
        let cache = try await openCache()
        var people = people
        people[0].department = "Analysis"
        try await cache.sync(users: people)
        func book(_ query: BookQuery) async throws -> [String] {
            let book = try await cache.reader.book(query)
            return book.cards.map(\.id).sorted() + (book.isCutShort ? ["…"] : [])
        }
        #expect(try await book(BookQuery(search: "gra hop")) == ["2"])
        #expect(try await book(BookQuery(search: "nobody")) == [])
        #expect(try await book(BookQuery(department: "analysis")) == ["1"])
        #expect(try await book(BookQuery(search: "ada", department: "analysis")) == ["1"])
        #expect(try await book(BookQuery(maximum: 3)).count == 3)
        #expect(try await book(BookQuery(maximum: 2)).last == "…")
        await cache.close()
    }

    @Test("Cards come with records and the digests of the list, without those who are gone")
    func cards() async throws {
        let cache = try await openCache()
        try await cache.sync(users: people)
        let cards = try await cache.reader.cards(["2", "9", "1"], BookQuery())
        #expect(cards.map(\.id).sorted() == ["1", "2"])
        let digests = Dictionary(
            uniqueKeysWithValues: try await cache.reader.book(BookQuery()).cards.map { ($0.id, $0.digest) })
        for card in cards { #expect(card.digest == digests[card.id] && card.photo == nil) }
        await cache.close()
    }

    @Test(
        "A cached thumbnail belongs to the card and to its digest, if pictures are wanted; a large one does not"
    )
    func pictures() async throws {
        let cache = try await openCache()
        var people = people
        for index in people.indices {
            people[index].picture = User.Picture(thumbnail: "http://a.test/\(index)")
        }
        try await cache.sync(users: people)
        let query = BookQuery(hasPictures: true)
        let before = try await cache.reader.book(query)
        func keep(_ index: Int, _ content: [UInt8]) async throws {
            try await cache.pictures.keep(
                FoundPicture(
                    userID: people[index].id, size: .thumbnail, url: "http://a.test/\(index)",
                    picture: FetchedPicture(content: content, contentType: "image/jpeg")), nil, .max)
        }
        try await keep(0, [1, 2, 3])
        try await keep(1, Array(repeating: 1, count: (128 << 10) + 1))
        #expect(try await cache.reader.bookChangeToken() != before.changeToken)
        let after = try await cache.reader.book(query)
        #expect(Set(after.cards).subtracting(before.cards).map(\.id) == ["1"])
        #expect(after.digest != before.digest)
        let cards = try await cache.reader.cards(["1", "2"], query).sorted { $0.id < $1.id }
        #expect(cards.map(\.photo?.content) == [[1, 2, 3], nil])
        #expect(cards.map(\.digest) == after.cards.sorted { $0.id < $1.id }.prefix(2).map(\.digest))
        #expect(try await cache.reader.cards(["1"], BookQuery()).map(\.photo) == [nil])
        await cache.close()
    }

    @Test(
        "The list of cards reads no picture, and pictures of an earlier version belong to cards once they have a digest"
    )
    func storedDigests() async throws {
        let directory = try TemporaryDirectory()
        let cache = try await openCache(directory.file("c.db"))
        let count = 250
        try await cache.pictures.prefetch([.thumbnail])
        try await cache.sync(
            users: (0..<count).map { number in
                var person = user("\(number)")
                person.picture = User.Picture(thumbnail: "t/\(number)")
                return person
            })
        for number in 0..<count {
            let picture = FetchedPicture(content: [1, UInt8(number)], contentType: "image/png")
            try await cache.pictures.settle("t/\(number)", .fetched(picture), nil)
        }
        let query = BookQuery(hasPictures: true)
        let fetched = try await cache.reader.book(query)
        let other = try Connection(path: directory.file("c.db"), access: .readWrite)
        // As an earlier version left it.
        try other.execute("UPDATE pictures SET digest = NULL")
        let without = try await cache.reader.book(query)
        #expect(without.digest == (try await cache.reader.book(BookQuery()).digest))
        #expect(try await cache.reader.cards(["7"], query).map(\.photo) == [nil])
        let changeToken = try await cache.reader.bookChangeToken()
        try await cache.pictures.digest()
        #expect(try await cache.reader.bookChangeToken() != changeToken)
        #expect(try await cache.reader.book(query).cards == fetched.cards)
        #expect(try await cache.reader.cards(["7"], query).map(\.photo?.content) == [[1, 7]])
        // Without their contents, the digests are the same.
        try other.execute("DELETE FROM picture_contents")
        #expect(try await cache.reader.book(query).cards == fetched.cards)
        let done = try await cache.reader.bookChangeToken()
        try await cache.pictures.digest()
        #expect(try await cache.reader.bookChangeToken() == done)
        await cache.close()
    }

    @Test("Cards come only of those who are in the book, in the order of the ids")
    func members() async throws {
        let cache = try await openCache()
        var people = people
        people[0].department = "Analysis"
        try await cache.sync(users: people)
        func ids(_ query: BookQuery) async throws -> [String] {
            try await cache.reader.cards(["3", "2", "9", "1", "2"], query).map(\.id)
        }
        #expect(try await ids(BookQuery()) == ["3", "2", "1", "2"])
        #expect(try await ids(BookQuery(search: "gra")) == ["2", "2"])
        #expect(try await ids(BookQuery(department: "analysis")) == ["1"])
        await cache.close()
    }
}
