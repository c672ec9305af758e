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
}
