import DemoUpstream
import Foundation
import Synchronization
import Testing

@Suite struct TokenTests {
    @Test(arguments: ["/scim/v2/Users", "/scim/v2/ServiceProviderConfig", "/directory/link"])
    func aRequiredTokenIsAskedFor(path: String) async throws {
        try await withPeople(3, { $0.token = "s3cret" }) { upstream in
            for header in ["", "Bearer", "Bearer wrong", "Basic s3cret"] {
                let refused = try await upstream.get(path, headers: ["Authorization": header])
                #expect(refused.status == 401, "\(header)")
                #expect(refused.header("www-authenticate")?.hasPrefix("Bearer ") == true)
                #expect(
                    refused.text
                        == #"{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"401","#
                        + #""detail":"the token is missing, expired or revoked"}"#)
            }
            for scheme in ["Bearer", "bearer", "SSWS"] {
                let allowed = try await upstream.get(path, headers: ["Authorization": "\(scheme) s3cret"])
                #expect(allowed.status == 200, "\(scheme)")
            }
            #expect(try await upstream.get("/api/").status == 200)
        }
    }

    @Test func aTokenIsIssuedForTheClientByBasicOrInTheBody() async throws {
        let change: (inout DemoUpstream.DirectorySettings) -> Void = {
            $0.token = "other"
            $0.clientID = "a:b"
            $0.clientSecret = "ü&%"
        }
        try await withPeople(3, change) { upstream in
            let grant = "grant_type=client_credentials"
            let pair = Data("a%3Ab:%C3%BC%26%25".utf8).base64EncodedString()
            let replies = [
                try await upstream.token(grant, basic: pair),
                try await upstream.token(grant + "&client_id=a%3Ab&client_secret=%C3%BC%26%25&scope=x"),
            ]
            var tokens: Set<String> = []
            for reply in replies {
                #expect(reply.status == 200)
                #expect(reply.header("cache-control") == "no-store")
                #expect(try reply.object["token_type"] as? String == "Bearer")
                #expect(try reply.object["expires_in"] as? Int == 3600)
                let token = try #require(try reply.object["access_token"] as? String)
                tokens.insert(token)
                #expect(try await upstream.status(with: token) == 200)
            }
            #expect(tokens.count == 2)
        }
    }

    @Test func othersAreRefused() async throws {
        try await withPeople(3) { upstream in
            let grant = "grant_type=client_credentials"
            for (form, basic) in [
                (grant, nil), (grant + "&client_id=userd&client_secret=x", nil),
                (grant, Data("userd:x".utf8).base64EncodedString()), (grant, "!"),
            ] {
                let reply = try await upstream.token(form, basic: basic)
                #expect(reply.status == 401)
                #expect(reply.text == #"{"error":"invalid_client"}"#)
            }
            let body = "grant_type=password&client_id=userd&client_secret=demo-secret"
            let other = try await upstream.token(body)
            #expect(other.status == 400 && other.text == #"{"error":"unsupported_grant_type"}"#)
            #expect(try await upstream.get("/oauth2/token").status == 405)
        }
    }

    @Test func anIssuedTokenEndsInTime() async throws {
        let start = ContinuousClock.now
        let elapsed = Mutex(0)
        var configuration = DemoUpstream.Configuration()
        configuration.directory.token = "other"
        configuration.directory.expiresIn = 60
        configuration.now = { start + .seconds(elapsed.withLock(\.self)) }
        try await withDemoUpstream(configuration) { upstream in
            let token = try await upstream.issuedToken()
            elapsed.withLock { $0 = 59 }
            #expect(try await upstream.status(with: token) == 200)
            elapsed.withLock { $0 = 60 }
            #expect(try await upstream.status(with: token) == 401)
        }
    }

    @Test func aTokenWithoutEndSaysNoneAndHoldsUntilItIsRevoked() async throws {
        let change: (inout DemoUpstream.DirectorySettings) -> Void = {
            $0.token = "other"
            $0.expiresIn = 0
        }
        try await withPeople(3, change) { upstream in
            let token = try await upstream.issuedToken()
            #expect(try await upstream.status(with: token) == 200)
            let reply = try await upstream.get("/control/tokens", method: "DELETE", control: true)
            #expect(reply.text == #"{"revoked":1}"#)
            #expect(try await upstream.status(with: token) == 401)
            #expect(try await upstream.status(with: "other") == 200)
        }
    }

    @Test func faultsHoldForTheEndpoint() async throws {
        try await withPeople(3) { upstream in
            try await upstream.setFaults([Fault(.status(503), path: "/oauth2")])
            let form = "grant_type=client_credentials&client_id=userd&client_secret=demo-secret"
            #expect(try await upstream.token(form).status == 503)
        }
    }

    @Test func theControlPortSetsWhatDirectoriesDemand() async throws {
        try await withPeople(3) { upstream in
            func control(_ body: String) async throws -> RawResponse {
                try await upstream.get("/control/directory", method: "PUT", body: body, control: true)
            }
            let all =
                #"{"client_id":"c","client_secret":"s","expires_in":5,"max_page_size":9,"scim_cursors":true,"token":"t"}"#
            #expect(try await control(all).text == all)
            #expect(try await upstream.get("/control/directory", control: true).text == all)
            #expect(try await upstream.status(with: "t") == 200)
            _ = try await control(#"{"token":"u"}"#)
            #expect(try await upstream.status(with: "t") == 401)
            #expect(upstream.directory.clientID == "userd" && !upstream.directory.scimCursors)
            let bad = try await control(#"{"max_page_size":0}"#)
            #expect(bad.status == 400)
            #expect(bad.text == #"{"error":"max_page_size must be from 1 to 1000000, not 0"}"#)
        }
    }
}

extension DemoUpstream {
    fileprivate func token(_ form: String, basic: String? = nil) async throws -> RawResponse {
        var headers = ["Content-Type": "application/x-www-form-urlencoded"]
        headers["Authorization"] = basic.map { "Basic " + $0 }
        return try await get("/oauth2/token", method: "POST", headers: headers, body: form)
    }

    fileprivate func issuedToken() async throws -> String {
        let form = "grant_type=client_credentials&client_id=userd&client_secret=demo-secret"
        let reply = try await token(form).object
        #expect(reply["expires_in"] as? Int == (directory.expiresIn == 0 ? nil : directory.expiresIn))
        return try #require(reply["access_token"] as? String)
    }

    fileprivate func status(with token: String) async throws -> Int {
        try await get("/scim/v2/Users", headers: ["Authorization": "Bearer " + token]).status
    }
}
