import Foundation
import LDAP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream

@Suite("Limits and access rights of directories", .timeLimit(.hang))
struct LimitTests {
    @Test("If the server limits the page size, userd asks for smaller pages until they come, also in a check")
    func pages() async throws {
        let directory = try FakeDirectory { request in
            guard let size = request.pageSize else { return [request.result()] }
            let start = Int(request.cookie.first ?? 0)
            let end = min(10, start + min(size, 4))
            let people = (start..<end).map(request.person)
            guard size <= 4 else { return people + [request.result(4)] }
            return people + [request.result(cookie: end < 10 ? [UInt8(end)] : [])]
        }
        let asked = Asked(try LDAPSettings(directory.url).with { $0.pageSize = 10 })
        let pages = try #require(try await asked.list())
        #expect(pages.map(\.records.count) == [2, 2, 2, 2, 2])
        #expect(Set(pages.flatMap(\.records).map(\.id)).count == 10)
        // An entry that comes again is counted once.
        #expect(pages.map { $0.shape?.surveyed } == [2, nil, nil, nil, nil])
        #expect(try await asked.directory.survey(of: 2).records == 2)
    }

    @Test("The message about a look-through limit names the settings of servers")
    func lookThrough() async throws {
        let directory = try FakeDirectory { request in
            [request.pageSize == nil ? request.result() : request.result(11)]
        }
        let error = try await Asked(try LDAPSettings(directory.url)).error()
        #expect(error?.failure.kind == .ldap && error?.failure.retryable == false)
        #expect(error?.failure.message.contains("adminLimitExceeded (11)") == true)
        #expect(error?.failure.advice?.kind == .raiseServerLookThroughLimit)
    }

    @Test(
        "An empty list is a failure: the base is missing or hidden, or the filter finds no entry",
        arguments: [
            (32, "noSuchObject (32)"),
            (
                0,
                "no entry below dc=example,dc=org matches the filter of users.url and is visible to users.bind_dn"
            ),
        ])
    func nobody(code: UInt8, words: String) async throws {
        // Like 389 Directory Server: with pages, there is no error.
        let directory = try FakeDirectory { request in
            let isAboutBase = !request.isBind && !request.base.isEmpty && request.pageSize == nil
            return [request.result(isAboutBase ? code : 0)]
        }
        let asked = Asked(try LDAPSettings(directory.url).bound())
        let failure = try await asked.failure()
        #expect(failure?.kind == .ldap && failure?.retryable == false, "\(failure as Any)")
        #expect(failure?.message.contains(words) == true, "\(failure as Any)")
    }

    @Test("A filter that finds no entry on a real server is a failure")
    func filter() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(3))
        try await withSlapd(slapd) { slapd in
            let address = "\(slapd.plain)/\(DirectoryPeople.base)??sub?(uid=nobody)"
            let failure = try await Asked(try LDAPSettings(address)).failure()
            let words =
                "no entry below \(DirectoryPeople.base) matches the filter of users.url and is visible to anonymous users"
            #expect(failure?.message.contains(words) == true, "\(failure as Any)")
        }
    }

    @Test("What a server sends for managers while userd waits for the first one does not fill memory")
    func flood() async throws {
        let value = String(repeating: "x", count: 1 << 20)
        let isFirst = Mutex(true)
        let directory = try FakeDirectory { request in
            if request.base.isEmpty { return [request.result()] }
            if request.base == FakeDirectory.base {
                return (0..<100).map { number in
                    request.entry(
                        "uid=a\(number),\(FakeDirectory.base)",
                        [
                            "entryUUID": "\(number)", "cn": "A",
                            "manager": "uid=m\(number),\(FakeDirectory.base)",
                        ])
                } + [request.result()]
            }
            // The answer to the first of these searches never comes.
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }
                return isFirst
            }) {
                return []
            }
            return (0..<4).map { _ in request.entry(request.base, ["cn": value]) }
        }
        let asked = Asked(
            try LDAPSettings(directory.url).with {
                $0.maximumBytes = 8 << 20
                $0.deadline = .seconds(60)
            })
        let before = try peakOfMemory(resets: true)
        let failure = try await asked.failure()
        #expect(failure?.kind == .tooLarge && failure?.retryable == false, "\(failure as Any)")
        let grown = try peakOfMemory() - before
        #expect(grown < 150 << 20, "\(grown >> 20) MiB")
    }

    @Test("Many tiny entries count for the memory that they take")
    func tiny() async throws {
        let directory = try FakeDirectory { request in
            request.base.isEmpty
                ? [request.result()] : (0..<50_000).map(request.person) + [request.result()]
        }
        let asked = Asked(try LDAPSettings(directory.url).with { $0.maximumBytes = 4 << 20 })
        #expect(try await asked.failure()?.kind == .tooLarge)
    }

    /// The most memory that this process has had, in bytes.
    /// - Parameter resets: makes the present size the peak first (proc(5), clear_refs).
    private func peakOfMemory(resets: Bool = false) throws -> Int {
        if resets { try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs")) }
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(
            Int(line.split(separator: " ").dropLast().last?.split(separator: "\t").last ?? "")) << 10
    }
}
