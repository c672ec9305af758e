import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI

@Suite("A published list", .timeLimit(.hang))
struct PublishTests {
    private let directory: TemporaryDirectory
    private var file: String { directory.file("users.json") }

    init() throws { directory = try TemporaryDirectory() }

    private func publish(_ daemon: Daemon, to file: String? = nil) async throws -> Finished {
        try await run(
            Program.userctl.path, ["publish", file ?? self.file, "--socket", daemon.path],
            environment: ["HOME": "/nonexistent", "TZ": "UTC", "LANG": "C.UTF-8"])
    }

    /// What another userd reads of the file.
    private func users() async throws -> [User] {
        let body = try #require(FileManager.default.contents(atPath: file))
        let service = UsersService.live(
            .users(
                try .builtIn("userd"),
                UpstreamSettings(
                    url: try #require(URL(string: "https://a.test/users.json")), pageSize: 1000),
                now: { Timestamp(milliseconds: 0) }),
            transport: HTTPTransport { _ in HTTPResponse(status: 200, headers: [:], body: Array(body)) },
            now: { Timestamp(milliseconds: 0) })
        let page = try await service.fetchPage(.first, nil)
        #expect(page.next == nil)
        return page.records
    }

    @Test("Another userd reads the same users, in every field")
    func same() async throws {
        try await Daemon.with { daemon in
            let ended = try await publish(daemon)
            #expect(ended.code == 0 && ended.output == "", "\(ended)")
            #expect(ended.errors == "userctl: published \(User.samples.count) users in \(file)\n")
            let byID = Dictionary(grouping: User.samples, by: \.id).compactMapValues(\.first)
            let read = try await users()
            #expect(read.count == byID.count)
            for user in read {
                var published = try #require(byID[user.id])
                // The day, as in all formats.
                published.bornAt = published.bornAt.flatMap {
                    Timestamp(rfc3339: "\($0)".prefix(10) + "T00:00:00Z")
                }
                #expect(user == published)
            }
        }
    }

    @Test("The file changes only if a user does, and as a whole")
    func unchanged() async throws {
        let person = User(id: "1", name: User.Name(first: "Ann", last: "Lee")) {
            $0.email = "ann@example.org"
        }
        try await Daemon.with(upstream: .init(users: [person])) { daemon in
            _ = try await publish(daemon)
            func inode() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            }
            let before = try inode()
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            #expect(try await publish(daemon).errors == "userctl: \(file) is up to date with 1 user\n")
            #expect(try inode() == before)
            daemon.upstream.withLock { $0.users[0].jobTitle = "Engineer" }
            _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            #expect(try await publish(daemon).errors == "userctl: published 1 user in \(file)\n")
            #expect(try inode() != before)
            #expect(try await users().map(\.jobTitle) == ["Engineer"])
        }
    }

    @Test("A file with something appended is written again, and - is standard output")
    func appended() async throws {
        try await Daemon.with { daemon in
            _ = try await publish(daemon)
            let whole = try String(contentsOfFile: file, encoding: .utf8)
            try Data((whole + "\n").utf8).write(to: URL(filePath: file))
            #expect(try await publish(daemon).errors.hasPrefix("userctl: published "))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == whole)
            let printed = try await publish(daemon, to: "-")
            #expect(printed.errors == "" && printed.code == 0)
            // Control characters are escaped, as in other output.
            let both = try [printed.output, whole].map {
                try JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
            }
            #expect(both[0] != nil && both[0] == both[1])
        }
    }

    @Test("Nothing is published before the first sync, or into a folder that is missing")
    func refused() async throws {
        try await Daemon.with(synced: false) { daemon in
            let ended = try await publish(daemon)
            #expect(
                ended.code == 1 && ended.errors.contains("no sync of users has succeeded yet"), "\(ended)")
            #expect(!FileManager.default.fileExists(atPath: file))
        }
        try await Daemon.with { daemon in
            let ended = try await publish(daemon, to: directory.file("missing/users.json"))
            #expect(ended.code != 0 && ended.errors.contains("does not exist"), "\(ended)")
        }
    }
}
