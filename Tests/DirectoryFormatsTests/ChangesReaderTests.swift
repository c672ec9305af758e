import Foundation
import HTTP
import Model
import Synchronization
import Testing

@testable import Upstream

/// Requests of changes, and their answers, as Microsoft's and Google's documents have them.
@Suite struct ChangesReaderTests {
    /// The service of a format, whose upstream answers each address with a text; other addresses with 404.
    private func service(
        _ name: String, _ url: String, query: String = "", answers: [String: (Int, String)]
    ) throws -> (UsersService, asked: @Sendable () -> [String]) {
        let format = try DirectoryFormat.configured(name)
        let settings = UpstreamSettings(
            url: URL(string: url)!, query: query.isEmpty ? format.query : query, pageSize: format.pageSize)
        let changes = ChangesReader(format, settings, now: { now })
        let asked = Mutex<[String]>([])
        let transport = HTTPTransport { request in
            let address = request.url.absoluteString.removingPercentEncoding ?? ""
            asked.withLock { $0.append(address) }
            let (status, body) = answers[address] ?? (404, #"{"error": {"message": "no such address"}}"#)
            return HTTPResponse(
                status: status, headers: ["Content-Type": "application/json"], body: Array(body.utf8))
        }
        let service = UsersService.live(
            .users(format, changes?.listSettings ?? settings, now: { now }), changes: changes,
            transport: transport, now: { now })
        return (service, { asked.withLock { $0 } })
    }

    private let graph = "https://graph.microsoft.com/v1.0/users"

    @Test("Microsoft Graph: the first link comes without a list, and the changes by links as they came")
    func graphRequests() async throws {
        let link = "https://graph.microsoft.com/v1.0/users/delta?$deltatoken=A-1_b"
        let next = "https://graph.microsoft.com/v1.0/users/delta?$skiptoken=c"
        let last = "https://graph.microsoft.com/v1.0/users/delta?$deltatoken=d"
        let (service, asked) = try service(
            "graph", graph + "/",
            query: "$select=id,displayName&$expand=manager($select=id)&$top=5&$count=true",
            answers: [
                "\(graph)/delta?$select=id,displayName,manager&$deltatoken=latest": (
                    200, #"{"@odata.deltaLink": "\#(link)", "value": []}"#
                ),
                link: (
                    200,
                    #"{"@odata.nextLink": "\#(next)", "value": [{"id": "1", "displayName": "Ada Lovelace"}]}"#
                ),
                next: (
                    200,
                    #"""
                    {"@odata.deltaLink": "\#(last)", "value": [
                        {"id": "2", "@removed": {"reason": "changed"}},
                        {"id": "3", "displayName": "Alan Turing", "accountEnabled": false}]}
                    """#
                ),
            ])
        let changes = try #require(service.changes)
        #expect(changes.obstacle == nil)
        let token = try #require(try await changes.begin())
        #expect(token == link)
        let first = try await changes.page(token, .first)
        #expect(first.records.map(\.id) == ["1"] && first.gone.isEmpty && first.changeToken == nil)
        let second = try await changes.page(token, try #require(first.next))
        #expect(second.records.isEmpty && second.next == nil && second.changeToken == last)
        // A disabled account comes as an ordinary change, and goes.
        #expect(second.gone == [Gone(id: "2", after: 0), Gone(id: "3", after: 0)])
        #expect(asked().count == 3)
    }

    @Test("Microsoft Graph: what a record lacks has not changed, and a manager who was removed is cleared")
    func graphRecords() async throws {
        let link = "\(graph)/delta?$deltatoken=a"
        let query = try DirectoryFormat.configured("graph").query + "&$expand=manager($select=id)"
        let (service, _) = try service(
            "graph", graph, query: query,
            answers: [
                link: (
                    200,
                    #"""
                    {"@odata.deltaLink": "\#(link)", "value": [
                        {"id": "1", "displayName": "Ada Lovelace", "jobTitle": null,
                         "manager@delta": [{"id": "9", "@removed": {"reason": "deleted"}}]},
                        {"id": "2", "displayName": "Alan Turing",
                         "manager@delta": [{"id": "9", "@removed": {"reason": "deleted"}}, {"id": "8"}]},
                        {"id": "3", "displayName": "Grace Hopper"}]}
                    """#
                )
            ])
        let page = try await #require(service.changes).page(link, .first)
        func absent(_ number: Int) -> [UserField] { page.lacking[number]?.absent ?? [] }
        #expect(!absent(0).contains(.managerID) && !absent(0).contains(.jobTitle))
        #expect(absent(0).contains(.department) && absent(2).contains(.managerID))
        #expect(page.records.map { $0.manager?.id } == [nil, "8", nil])
        // Both come with the manager.
        #expect(absent(2).contains(.managerName) && !absent(0).contains(.managerName))
    }

    @Test(
        "Microsoft Graph: a record has the cached name, and whether all that somebody new has is there is told"
    )
    func lacking() async throws {
        let link = "\(graph)/delta?$deltatoken=a"
        let whole = try DirectoryFormat.configured("graph").query.dropFirst("$select=".count).split(
            separator: ","
        )
        .map { "\"\($0)\": \(["otherMails", "businessPhones"].contains($0) ? "[]" : "null")" }
        .joined(separator: ", ").replacing("\"id\": null", with: "\"id\": \"4\", \"displayName\": \"Ada\"")
        .replacing(", \"displayName\": null", with: "")
        let (service, _) = try service(
            "graph", graph,
            answers: [
                link: (
                    200,
                    #"""
                    {"@odata.deltaLink": "\#(link)", "value": [
                        {"id": "1", "accountEnabled": true}, {"id": "2", "mail": "a@b", "businessPhones": ["+41 1"]},
                        {"id": "3", "displayName": null, "givenName": null, "surname": null, "mail": null,
                         "otherMails": [], "userPrincipalName": null}, {\#(whole)}]}
                    """#
                )
            ])
        let page = try await #require(service.changes).page(link, .first)
        #expect(page.records.map(\.id) == ["1", "2", "4"] && page.gone.map(\.id) == ["3"])
        let lacking = try #require(page.lacking[0])
        #expect(
            Set(lacking.absent).isSuperset(of: [
                .given, .family, .displayName, .phone, .cell, .phones, .email, .emails,
            ]))
        #expect(lacking.divided.isEmpty && lacking.isOfKnown)
        let divided = try #require(page.lacking[1]?.divided)
        #expect(Set(divided) == [.emails, .cell, .phones])
        #expect(page.lacking[2]?.isOfKnown != true)
    }

    @Test(
        "Microsoft Graph: queries that it refuses for changes are told, and a link to another server is not followed",
        arguments: ["$filter=userType eq 'Member'", "$search=\"displayName:a\""])
    func graphObstacles(query: String) async throws {
        let (service, _) = try service("graph", graph, query: query, answers: [:])
        let changes = try #require(service.changes)
        #expect(changes.obstacle?.hasPrefix("users.query has \(query.prefix(7))") == true)
        let error = await #expect(throws: UpstreamError.self) {
            try await changes.page("https://graph.example/v1.0/users/delta?$deltatoken=a", .first)
        }
        #expect(error?.failure.kind == .redirect)
    }

    @Test(
        "Google's People API: the last page of a list has the token; changes send it with the same parameters"
    )
    func people() async throws {
        let list = "https://people.googleapis.com/v1/people:listDirectoryPeople"
        let query = "readMask=names,metadata&requestSyncToken=true"
        let (service, _) = try service(
            "google-people", list, query: "readMask=names,metadata",
            answers: [
                "\(list)?pageSize=1000&\(query)": (
                    200,
                    #"{"people": [{"resourceName": "people/1", "names": [{"givenName": "Ada", "familyName": "Lovelace"}]}], "nextSyncToken": "s1"}"#
                ),
                "\(list)?pageSize=1000&\(query)&syncToken=s1": (
                    200,
                    #"{"people": [{"resourceName": "people/1", "metadata": {"deleted": true}}], "nextSyncToken": "s2"}"#
                ),
                "\(list)?pageSize=1000&\(query)&syncToken=s2": (200, #"{"nextSyncToken": "s3"}"#),
            ])
        let listed = try await service.fetchPage(.first, nil)
        #expect(listed.changeToken == "s1" && listed.records.map(\.id) == ["people/1"])
        let changes = try #require(service.changes)
        #expect(try await changes.begin() == nil)
        let gone = try await changes.page("s1", .first)
        #expect(gone.gone == [Gone(id: "people/1", after: 0)] && gone.changeToken == "s2")
        let none = try await changes.page("s2", .first)
        #expect(none.records.isEmpty && none.gone.isEmpty && none.changeToken == "s3")
    }

    @Test("Other directories can't say what changed; lists of other settings have other fingerprints")
    func others() throws {
        for name in DirectoryFormat.names where !["graph", "google-people", "ldap"].contains(name) {
            let format = try DirectoryFormat.configured(name)
            let settings = UpstreamSettings(url: URL(string: "https://idp.example/users")!, pageSize: 10)
            #expect(ChangesReader(format, settings, now: { now }) == nil, "\(name)")
        }
        func fingerprint(_ query: String, _ identity: String = "") throws -> String? {
            let format = try DirectoryFormat.configured("graph")
            let settings = UpstreamSettings(url: URL(string: graph)!, query: query, pageSize: 10)
            return UsersService.live(
                .users(format, settings, now: { now }),
                changes: ChangesReader(format, settings, now: { now }), identity: identity,
                transport: HTTPTransport { _ in throw UpstreamError(.offline, "none") }
            ).changes?.fingerprint
        }
        let all = try [
            fingerprint("$select=id"), fingerprint("$select=id,mail"), fingerprint("$select=id", "b"),
        ]
        #expect(Set(all).count == 3)
        #expect(try fingerprint("$select=id") == all[0])
    }
}

extension ChangesService {
    /// These directories have no stamps.
    fileprivate func page(_ token: String, _ page: PageRequest) async throws -> Page<User> {
        try await fetchPage(token, page) { _ in [:] }
    }
}
