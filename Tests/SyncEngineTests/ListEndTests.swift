import Cache
import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Lists that upstream ends in an unusual way", .stubs)
struct ListEndTests {
    private func rig(
        _ page: @escaping @Sendable (PageRequest, KnownPage?) throws -> Page<User>
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
            return page
        }
        for round in 1...2 {
            let failure = try await failure(rig)
            #expect((failure == nil) == (isPastTotal == true), "\(failure ?? "")")
            #expect(asked.load(ordering: .relaxed) == round * (isPastTotal == true ? 2 : 3))
        }
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
            return page
        }
        for _ in 0..<2 {
            #expect(try await failure(rig) == nil)
            #expect(rig.engine.notes[.users]?.more == "a sign")
        }
        version.withLock { $0 = 2 }
        #expect(try await failure(rig) == nil)
        #expect(rig.engine.notes.values.allSatisfy { $0.more == nil })
        await rig.stop()
    }
}
