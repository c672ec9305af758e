import DirectoryFormats
import Model
import Services
import Stubs
import SyncEngine
import Synchronization
import TestSupport
import Testing

@Suite("Lists that upstream ends in an unusual way", .stubs)
struct ListEndTests {
    private func rig(
        _ page: @escaping @Sendable (PageRequest, KnownPage?) throws -> PageAnswer<User>
    ) async throws -> Rig {
        var service = UsersService(fetchPage: { request, known in try page(request, known) })
        service.requiresConsistentPages = true
        service.source = "json https://a:443/users"
        return try await Rig { [service] in
            $0.users = service
            $0.paused = true
        }
    }

    private func failure(_ rig: Rig) async throws -> String? {
        try await rig.engine.sync([.users], wait: true).first?.failure?.message
    }

    @Test(
        "A repeated page ends a list only after all records of the total have come",
        arguments: [true, false, nil] as [Bool?])
    func repeats(isPastTotal: Bool?) async throws {
        let asked = Atomic(0)
        let rig = try await rig { request, _ in
            asked.add(1, ordering: .relaxed)
            var page = people(0..<3, total: 4)
            page.leftOut = ["x"]
            page.next = PageRequest(number: request.number + 1, isPastTotal: isPastTotal)
            return .page(page)
        }
        for round in 1...2 {
            let failure = try await failure(rig)
            #expect((failure == nil) == (isPastTotal == true), "\(failure ?? "")")
            #expect(asked.load(ordering: .relaxed) == round * (isPastTotal == true ? 2 : 3))
        }
        await rig.stop()
    }

    @Test(
        "A list that a missing page may have cut off is refused once, and accepted if it comes again")
    func notThere() async throws {
        let last = Mutex(5)
        let isOver = Mutex<Bool?>(nil)
        let rig = try await rig { request, _ in
            guard request.number <= last.withLock({ $0 }) else {
                return .page(DecodedPage(records: [], end: .notThere(404)))
            }
            var page = people(request.number..<request.number + 1)
            page.next = PageRequest(number: request.number + 1, isPastTotal: isOver.withLock { $0 })
            return .page(page)
        }
        #expect(try await failure(rig) == nil)
        last.withLock { $0 = 3 }
        #expect(
            try await failure(rig) == """
                upstream has no page 4: it sent 3 users, but 5 are cached; if the next sync gets as many, it \
                accepts them
                """)
        #expect(try await rig.userIDs().count == 5)
        last.withLock { $0 = 4 }
        #expect(try await failure(rig) != nil)
        #expect(try await failure(rig) == nil)
        #expect(try await rig.userIDs().count == 4)
        // A sync that accepts removals is not refused.
        last.withLock { $0 = 3 }
        #expect(
            try await rig.engine.sync([.users], acceptsRemovals: true, wait: true).first?.failure == nil)
        // A list that has reached its total is not cut off.
        last.withLock { $0 = 2 }
        isOver.withLock { $0 = true }
        #expect(try await failure(rig) == nil)
        #expect(try await rig.userIDs().count == 2)
        await rig.stop()
    }

    @Test("A sign of more records is reported until a list has none, also while the last page is unchanged")
    func more() async throws {
        let version = Mutex(1)
        let rig = try await rig { _, known in
            let version = version.withLock { $0 }
            let current = KnownPage(key: "page", validators: Validators(etag: "\(version)"))
            if known == current { return .unchanged(current) }
            var page = people(0..<3)
            (page.known, page.more) = (current, version == 1 ? "a sign" : nil)
            return .page(page)
        }
        for _ in 0..<2 {
            #expect(try await failure(rig) == nil)
            #expect(rig.engine.moreUpstream == [.users: "a sign"])
        }
        version.withLock { $0 = 2 }
        #expect(try await failure(rig) == nil)
        #expect(rig.engine.moreUpstream == [:])
        await rig.stop()
    }
}
