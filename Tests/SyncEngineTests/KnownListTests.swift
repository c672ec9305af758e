import Model
import Stubs
import Sync
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Lists whose pages are cached", .stubs)
struct KnownListTests {
    /// An upstream that sends a page only if it has changed.
    private final class Upstream: Sendable {
        private let pages: Mutex<[Page<User>]>
        private let answers = Mutex<[String]>([])
        /// Its cursors end with this; it refuses all others.
        let edition = Mutex("a")
        let status = Mutex(400)

        init(_ pages: Page<User>...) { self.pages = Mutex(pages) }

        subscript(number: Int) -> Page<User> {
            get { pages.withLock { $0[number - 1] } }
            set { pages.withLock { $0[number - 1] = newValue } }
        }

        /// Numbers of the requested pages: with an equals sign if unchanged, with an exclamation mark if
        /// refused.
        func takeAnswers() -> [String] {
            answers.withLock { answers in
                defer { answers = [] }
                return answers
            }
        }

        var service: UsersService {
            var service = UsersService(fetchPage: { [self] request, known in try answer(request, known) })
            service.requiresConsistentPages = true
            service.source = "scim https://a:443/Users"
            return service
        }

        private func answer(_ request: PageRequest, _ known: KnownPage?) throws -> Page<User> {
            let edition = edition.withLock { $0 }
            if let token = request.token, !token.hasSuffix(edition) {
                answers.withLock { $0.append("\(request.number)!") }
                throw UpstreamError(.http, "the cursor has expired", status: status.withLock { $0 })
            }
            return pages.withLock { pages in
                var page = pages[request.number - 1]
                let current = KnownPage(
                    key: "\(request.number)",
                    validators: Validators(etag: "\(page.records.map(\.id)) \(page.leftOut)"))
                let isUnchanged = known == current
                answers.withLock { $0.append("\(request.number)\(isUnchanged ? "=" : "")") }
                if isUnchanged { return .unchanged(current) }
                page.known = current
                if request.number < pages.count {
                    page.next = PageRequest(number: request.number + 1, token: "\(request.number)\(edition)")
                }
                return page
            }
        }
    }

    private func rig(_ upstream: Upstream, _ path: String = ":memory:") async throws -> Rig {
        try await Rig {
            $0.path = path
            $0.users = upstream.service
            $0.paused = true
        }
    }

    /// Syncs. Returns the failure's message, or nil.
    private func sync(_ rig: Rig) async throws -> String? {
        let state = try #require(try await rig.engine.sync([.users], wait: true).first)
        return state.phase == .error ? state.failure?.message ?? "" : nil
    }

    private func page(_ range: Range<Int>, leftOut: [String] = [], total: Int? = nil) -> Page<User> {
        var page = people(range, total: total)
        page.leftOut = leftOut
        return page
    }

    @Test("Users that unchanged pages leave out count towards the total, each once")
    func leftOut() async throws {
        let upstream = Upstream(
            page(0..<3, leftOut: ["x", "y"], total: 9), page(3..<6, leftOut: ["y", "z"], total: 9))
        let rig = try await rig(upstream)
        #expect(try await sync(rig) == nil)
        #expect(upstream.takeAnswers() == ["1", "2"])
        #expect(try await sync(rig) == nil)
        #expect(upstream.takeAnswers() == ["1=", "2="])
        upstream[2] = page(3..<6, leftOut: ["x", "z"], total: 9)
        #expect(try await sync(rig) == nil)
        #expect(upstream.takeAnswers() == ["1=", "2"])
        await rig.stop()
    }

    @Test("Neighbouring unchanged pages may hold only users that are left out")
    func nobody() async throws {
        let rig = try await rig(
            Upstream(page(0..<3), page(0..<0, leftOut: ["a"]), page(0..<0, leftOut: ["b"]), page(3..<4)))
        for _ in 0..<2 { #expect(try await sync(rig) == nil) }
        #expect(try await rig.userIDs().count == 4)
        await rig.stop()
    }

    @Test("An unchanged last page still counts as cut off by the settings")
    func cut() async throws {
        var last = page(0..<3, total: 100)
        last.isCut = true
        let rig = try await rig(Upstream(last))
        for _ in 0..<3 { #expect(try await sync(rig) == nil) }
        await rig.stop()
    }

    @Test("A list with too high a total keeps whoever it lacks, also if its pages are unchanged")
    func countedTooHigh() async throws {
        let directory = try TemporaryDirectory()
        let upstream = Upstream(page(0..<3, total: 8), page(3..<6, total: 8))
        var rig = try await rig(upstream, directory.file("userd.db"))
        for _ in 0..<2 { #expect(try await sync(rig) == nil) }
        // As many are missing as before: the next list confirms who has left.
        upstream[2] = page(4..<7, total: 8)
        #expect(try await sync(rig) == nil)
        #expect(try await rig.userIDs().contains("u3"))
        await rig.stop()
        rig = try await self.rig(upstream, directory.file("userd.db"))
        #expect(try await sync(rig) == nil)
        #expect(try await rig.userIDs() == ["u0", "u1", "u2", "u4", "u5", "u6"])
        // More are missing than before.
        upstream[2] = page(5..<8, total: 10)
        for _ in 0..<3 { #expect(try await sync(rig) == nil) }
        #expect(try await rig.userIDs() == ["u0", "u1", "u2", "u4", "u5", "u6", "u7"])
        #expect(try await rig.state().missing == Missing(count: 1, reason: .short))
        await rig.stop()
    }

    @Test("A list with one version stays unchanged as a whole, across restarts, until its rows change")
    func oneVersion() async throws {
        let directory = try TemporaryDirectory()
        let version = Mutex("1")
        let known = Mutex<[String?]>([])
        var service = UsersService(fetchPage: { request, list in
            known.withLock { $0.append(list?.validators.etag) }
            let current = KnownPage(
                key: "ldap", validators: Validators(etag: version.withLock { $0 }))
            if request.number == 1, list == current { return .unchangedList }
            // One user comes twice, and pages are empty: neither is fetched again.
            var page = self.page(request.number == 4 ? 0..<3 : 0..<0, leftOut: ["\(request.number)"])
            if request.number == 4 { page.records.append(page.records[0]) }
            if request.number < 4 { page.next = PageRequest(number: request.number + 1) }
            page.list = current
            return page
        })
        service.requiresConsistentPages = true
        service.canRetryPages = false
        let options = { [service] (options: inout Rig.Options) in
            options.path = directory.file("userd.db")
            options.paused = true
            options.users = service
        }
        func takeKnown() -> [String?] {
            known.withLock { known in
                defer { known = [] }
                return known
            }
        }
        for restart in 0..<2 {
            let rig = try await Rig(options)
            for sync in 0..<2 {
                let state = try #require(try await rig.engine.sync([.users], wait: true).first)
                #expect(state.phase == .loaded && state.count == 3)
                #expect(takeKnown() == (restart + sync == 0 ? [nil, nil, nil, nil] : ["1"]))
            }
            await rig.stop()
        }
        version.withLock { $0 = "2" }
        let rig = try await Rig(options)
        #expect(try await sync(rig) == nil)
        #expect(takeKnown() == ["1", nil, nil, nil])
        // A failure keeps the version of the list.
        await rig.stop()
        let broken = try await Rig {
            options(&$0)
            $0.users = UsersService { _, _ in throw upstreamError(.offline) }
        }
        #expect(try await sync(broken) != nil)
        await broken.stop()
        let last = try await Rig(options)
        #expect(try await sync(last) == nil)
        #expect(takeKnown() == ["2"])
        await last.stop()
        // The rows of an upstream without a version replace the list and its version.
        let other = try await Rig {
            options(&$0)
            $0.users = UsersService { _, _ in people(0..<3) }
        }
        #expect(try await sync(other) == nil)
        await other.stop()
        let again = try await Rig(options)
        #expect(try await sync(again) == nil)
        #expect(takeKnown().first == .some(nil))
        await again.stop()
    }

    // MARK: Cursors

    @Test(
        "The whole list is fetched again if upstream refuses the cursor of an unchanged page"
    )
    func refusedCursor() async throws {
        let upstream = Upstream(page(0..<3), page(3..<6), page(6..<9))
        let rig = try await rig(upstream)
        #expect(try await sync(rig) == nil)
        upstream.edition.withLock { $0 = "b" }
        upstream[3] = page(6..<8)
        _ = upstream.takeAnswers()
        #expect(try await sync(rig) == nil)
        #expect(upstream.takeAnswers() == ["1=", "2!", "1", "2", "3"])
        #expect(try await rig.userIDs().count == 8)
        // The new pages are cached now.
        #expect(try await sync(rig) == nil)
        #expect(upstream.takeAnswers() == ["1=", "2=", "3="])
        await rig.stop()
    }

    @Test("A sync fails if upstream answers a cached cursor with 401")
    func refusedNew() async throws {
        let upstream = Upstream(page(0..<3), page(3..<6))
        let rig = try await rig(upstream)
        #expect(try await sync(rig) == nil)
        _ = upstream.takeAnswers()
        upstream.edition.withLock { $0 = "b" }
        upstream.status.withLock { $0 = 401 }
        #expect(try await sync(rig) == "the cursor has expired")
        #expect(upstream.takeAnswers() == ["1=", "2!"])
        await rig.stop()
    }

    @Test(
        "A list begins again, once and at once, if a cursor has expired while it was read",
        arguments: [(400, true), (404, true), (410, true), (403, false), (422, false)])
    func expiredCursor(status: Int, beginsAgain: Bool) async throws {
        let requests = Mutex<[Int]>([])
        let refusals = Mutex(1)
        var service = UsersService(fetchPage: { request, _ in
            requests.withLock { $0.append(request.number) }
            if request.number == 2,
                refusals.withLock({
                    $0 -= 1; return $0 >= 0
                })
            {
                throw UpstreamError(.http, "the cursor has expired", status: status)
            }
            var page = people(request.number * 3..<request.number * 3 + 3)
            if request.number < 3 {
                page.next = PageRequest(number: request.number + 1, token: "c\(request.number)")
            }
            return page
        })
        service.requiresConsistentPages = true
        let rig = try await Rig { [service] in
            $0.users = service
            $0.paused = true
        }
        #expect(try await sync(rig) == (beginsAgain ? nil : "the cursor has expired"))
        #expect(requests.withLock { $0 } == (beginsAgain ? [1, 2, 1, 2, 3] : [1, 2]))
        refusals.withLock { $0 = 2 }
        requests.withLock { $0 = [] }
        #expect(try await sync(rig) == "the cursor has expired")
        #expect(requests.withLock { $0 } == (beginsAgain ? [1, 2, 1, 2] : [1, 2]))
        await rig.stop()
    }
}
