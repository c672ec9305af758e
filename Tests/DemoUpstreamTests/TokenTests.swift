import DemoUpstream
import Foundation
import Testing

@Suite struct TokenTests {
    @Test(arguments: ["/scim/v2/Users", "/scim/v2/ServiceProviderConfig", "/directory/link"])
    func aRequiredTokenIsAskedFor(path: String) async throws {
        try await withPeople(3, token: "s3cret") { upstream in
            for header in ["", "Bearer", "Bearer wrong", "Basic s3cret"] {
                let refused = try await upstream.get(path, headers: ["Authorization": header])
                #expect(refused.status == 401, "\(header)")
                #expect(refused.text == #"{"detail":"the token is missing or wrong"}"#)
            }
            for scheme in ["Bearer", "bearer", "SSWS"] {
                let allowed = try await upstream.get(path, headers: ["Authorization": "\(scheme) s3cret"])
                #expect(allowed.status == 200, "\(scheme)")
            }
            #expect(try await upstream.get("/api/").status == 200)
        }
    }

    @Test func anAPIKeyIsAsGoodAsAToken() async throws {
        try await withPeople(3, token: "s3cret") { upstream in
            for (key, status) in [("s3cret", 200), ("wrong", 401)] {
                let answer = try await upstream.get("/directory/link", headers: ["X-API-Key": key])
                #expect(answer.status == status)
            }
        }
    }

    @Test func aListMayBeAskedForByPOSTWithItsPageInJSON() async throws {
        try await withPeople(5) { upstream in
            let path = "/directory/number"
            let got = try await upstream.get(path + "?page=2&per_page=2")
            let posted = try await upstream.get(path, method: "POST", body: #"{"page": 2, "per_page": 2}"#)
            #expect((posted.status, posted.text) == (200, got.text))
            #expect(try await upstream.get(path + "?per_page=2", method: "POST", body: "{}").text != got.text)
            #expect(try await upstream.get("/api/", method: "POST").status == 405)
        }
    }
}
