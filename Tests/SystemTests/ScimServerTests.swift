import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Users of PyPI's scim2-server", .timeLimit(.hang))
struct ScimServerTests {
    /// Announces paging by cursors in addition to index paging.
    private static let cursors = """
        {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"], "patch": {"supported": true},
        "bulk": {"supported": true, "maxOperations": 1000, "maxPayloadSize": 10485760},
        "filter": {"supported": true, "maxResults": 5000}, "changePassword": {"supported": true},
        "sort": {"supported": true}, "etag": {"supported": true}, "authenticationSchemes": [],
        "pagination": {"cursor": true, "index": true, "defaultPageSize": 50, "maxPageSize": 80}}
        """

    @Test(
        "All users of a SCIM server are cached with their fields, and the next sync records changes",
        arguments: [false, true])
    func whole(byCursor: Bool) async throws {
        try await onMachine { machine in
            let config = machine.file("spc.json")
            try Self.cursors.write(toFile: config, atomically: true, encoding: .utf8)
            let script = VarlinkClients.program("scim_server.py")
            let server = try machine.start(
                VarlinkClients.python,
                [script, "serve", String(Volume.scimUsers)] + (byCursor ? [config] : []))
            let port = try #require(
                try await server.line(containing: "port ", in: .output).split(separator: " ").last)
            let token = machine.file("token")
            try "scim-token\n".write(toFile: token, atomically: true, encoding: .utf8)
            chmod(token, 0o600)
            let userd = try await machine.startUserd([
                "users.format": "scim", "users.url": "http://127.0.0.1:\(port)/v2/Users", "users.query": "",
                "users.token_file": token, "paused": "true",
            ])
            let loaded = try await machine.sync(.users)
            #expect(loaded.phase == .loaded && loaded.count == Volume.scimUsers, "\(loaded)")

            let user = try await machine.call(.getUser, GetUser(key: "user00042")).user
            #expect(user.name == User.Name(first: "Given42", last: "Family42"))
            #expect(
                [user.displayName, user.jobTitle, user.department] == ["Given42 F.", "Engineer", "Dept 2"])
            #expect(
                [user.email, user.phone, user.cell] == ["user42@example.org", "+4930100042", "+49170200042"])
            #expect(user.emails?.map(\.kind) == ["work", "home"])
            #expect(user.employeeNumber == "42" && user.address.postcode == "10115" && user.updatedAt != nil)

            let changed = try await run(
                VarlinkClients.python, [script, "change", String(port)], environment: [:])
            try #require(changed.code == 0, "\(changed.errors)")
            let next = try await machine.sync(.users)
            if byCursor {
                #expect(next.cause.rawValue == "committed: 1 added, 1 changed, 2 removed", "\(next)")
            } else {
                // Users may move between pages that are found by an index: the next list confirms who has left.
                #expect(next.cause.rawValue == "committed: 1 added, 1 changed", "\(next)")
                #expect(next.missing == Missing(count: 2, reason: .counted))
                #expect(try await machine.sync(.users).cause.rawValue == "committed: 2 removed")
            }

            server.send(SIGTERM)
            try await server.ended()
            let down = try await machine.sync(.users)
            #expect(
                down.phase == .error && down.failure?.kind == .offline && down.count == Volume.scimUsers - 1)
            #expect(try await machine.call(.getUser, GetUser(key: "user00042")).user == user)

            for secret in ["Never-To-Be-Kept-1", "scim-token"] {
                #expect(!userd.text(.errors).contains(secret))
                for file in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                    let bytes = try Data(contentsOf: URL(filePath: machine.cacheDirectory + "/" + file))
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
                }
            }
        }
    }
}
