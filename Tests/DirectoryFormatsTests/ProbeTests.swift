import Foundation
import HTTP
import Model
import Synchronization
import Testing

@testable import Upstream

@Suite("ServiceProviderConfig of SCIM servers")
struct ProbeTests {
    private let address = "https://idp.example/v2/Users"

    /// Requests two first pages with this answer to the configuration, and returns all requested addresses.
    private func asked(
        _ status: Int, _ config: String, url: String? = nil, format: DirectoryFormat? = nil
    ) async throws -> [String] {
        let asked = Mutex<[String]>([])
        let transport = HTTPTransport { request in
            let address = request.url.absoluteString
            asked.withLock { $0.append(String(address.dropFirst("https://idp.example/v2/".count))) }
            guard address.hasSuffix("/ServiceProviderConfig") else {
                return HTTPResponse(status: 200, body: Array(#"{"Resources": [], "totalResults": 0}"#.utf8))
            }
            guard status > 0 else { throw UpstreamError(.offline, "no route") }
            return HTTPResponse(status: status, body: Array(config.utf8))
        }
        let format = try format ?? .configured("scim")
        let settings = UpstreamSettings(url: URL(string: url ?? address)!, pageSize: 200)
        let pages = PageReader.users(format, settings, now: { now })
        let service = UsersService.live(
            pages, probe: ServiceProviderConfig(of: pages), transport: transport, now: { now })
        for _ in 0..<2 { _ = try await service.fetchPage(.first, nil) }
        return asked.withLock { $0 }
    }

    @Test(
        "The configuration is requested once, and leads to the cursors, page sizes and sorting it announces"
    )
    func announced() async throws {
        let config = #"{"sort": {"supported": true}, "pagination": {"cursor": true, "maxPageSize": 50}}"#
        let page = "Users?count=50&cursor=&sortBy=userName"
        #expect(try await asked(200, config) == ["ServiceProviderConfig", page, page])
    }

    @Test(
        "A configuration that announces no cursors, is unreadable or is missing leads to pages by index",
        arguments: [
            (200, #"{"sort": {"supported": false}, "pagination": {"cursor": false}}"#), (200, "{}"),
            (200, "[]"), (404, #"{"status": "404"}"#),
        ])
    func index(status: Int, config: String) async throws {
        let page = "Users?count=200&startIndex=1"
        #expect(try await asked(status, config) == ["ServiceProviderConfig", page, page])
    }

    @Test(
        "After a failure that may pass, the next sync requests the configuration again",
        arguments: [(0, ""), (401, ""), (403, "{}"), (429, "{}"), (503, "busy"), (200, "<html>Sign in")])
    func passing(status: Int, body: String) async throws {
        let page = "Users?count=200&startIndex=1"
        #expect(
            try await asked(status, body) == ["ServiceProviderConfig", page, "ServiceProviderConfig", page])
    }

    @Test("The configuration is not requested if the settings have their own paging, or another address")
    func notAsked() async throws {
        let own = try DirectoryFormat.configured("scim", "paging: {style: none}")
        #expect(try await asked(200, "{}", format: own) == ["Users", "Users"])
        let staff = "https://idp.example/v2/Staff"
        let page = "Staff?count=200&startIndex=1"
        #expect(try await asked(200, "{}", url: staff) == [page, page])
    }
}
