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
            environment: [
                "HOME": "/nonexistent", "XDG_CONFIG_HOME": directory.path, "TZ": "UTC", "LANG": "C.UTF-8",
            ])
    }

    /// What another userd reads of the file.
    private func users(_ format: DirectoryFormat? = nil) async throws -> [User] {
        let body = try #require(FileManager.default.contents(atPath: file))
        let service = UsersService.live(
            .users(
                try format ?? DirectoryFormat.builtIn("userd"),
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

    @Test("Groups and rooms are read by those who ask for them, and userd 0.3.0 reads persons alone")
    func kinds() async throws {
        let folder = directory.file("userd")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try Data("publish: {kinds: [person, group, room]}\n".utf8)
            .write(to: URL(filePath: folder + "/config.yaml"))
        func user(_ id: String, _ kind: UserKind?) -> User {
            User(id: id, name: User.Name(first: "", last: id)) { $0.kind = kind }
        }
        let all = [user("1", nil), user("2", .group), user("3", .room)]
        try await Daemon.with(upstream: .init(users: all)) { daemon in
            #expect(try await publish(daemon).errors == "userctl: published 3 users in \(file)\n")
            let earlier = try DirectoryFormat(
                name: "userd", yaml: Array(Self.earlierFormat.utf8), fields: UserField.all.map(\.name))
            #expect(try await users(earlier) == [all[0]])
            var format = try DirectoryFormat.builtIn("userd")
            #expect(try await users(format) == [all[0]])
            format.kinds = [.person, .group, .room]
            let read = try await users(format).sorted { $0.id < $1.id }
            #expect(read == all)
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

    /// The format of userd 0.3.0.
    private static let earlierFormat = """
        # The users of another userd, which `userctl publish` has written to a file.
        page_size: 1000
        records: /users
        fields:
          id: /id
          username: /username
          title: /name/title
          given: /name/first
          family: /name/last
          display_name: /display_name
          gender: /gender
          email: /email
          emails: /emails
          phone: /phone
          cell: /cell
          phones: /phones
          job_title: /job_title
          department: /department
          company: /company
          employee_number: /employee_number
          office: /office
          manager_id: /manager/id
          manager_name: /manager/name
          born_at: /born_at
          age: /age
          registered_at: /registered_at
          updated_at: /updated_at
          nationality: /nationality
          street: /address/street
          city: /address/city
          state: /address/state
          postcode: /address/postcode
          country: /address/country
          latitude: /address/latitude
          longitude: /address/longitude
          utc_offset: /address/utc_offset
          picture_large: /picture/large
          picture_medium: /picture/medium
          picture_thumbnail: /picture/thumbnail
        """
}
