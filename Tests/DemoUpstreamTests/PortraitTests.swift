import DemoUpstream
import Foundation
import Testing

@Suite struct PortraitTests {
    @Test(arguments: [("", 128), ("med/", 72), ("thumb/", 48)])
    func aPortraitIsAPNGOfItsSize(folder: String, side: UInt8) async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/portraits/\(folder)women/42.png")
            #expect(response.header("content-type") == "image/png")
            let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]
            #expect(
                Array(response.body.prefix(24)) == start + Array("IHDR".utf8) + [
                    0, 0, 0, side, 0, 0, 0, side,
                ])
        }
    }

    @Test func theSamePathGivesTheSameBytesAndAnotherOneOthers() async throws {
        try await withDemoUpstream { upstream in
            let first = try await upstream.get("/portraits/men/7.png").body
            #expect(try await upstream.get("/portraits/men/7.png").body == first)
            #expect(try await upstream.get("/portraits/men/8.png").body != first)
            #expect(try await upstream.get("/portraits/women/7.png").body != first)
        }
    }

    @Test(
        arguments: [
            "men/100.png", "men/-1.png", "men/07.png", "men/+7.png", "men/7.jpg", "dogs/7.png", "men/x/7.png",
            "men/", "7.png",
        ])
    func whatIsNoPortraitIsNotFound(path: String) async throws {
        try await withDemoUpstream { upstream in
            let status = try await upstream.get("/portraits/\(path)").status
            #expect(status == 404)
        }
    }

    @Test func thePicturesOfAUserAreThere() async throws {
        try await withDemoUpstream { upstream in
            let person = try await upstream.get("/api/?seed=s").people[0]
            for size in ["large", "medium", "thumbnail"] {
                let url = try #require(member(person, "picture.\(size)") as? String)
                #expect(try await upstream.get(String(url.dropFirst(upstream.url().count))).status == 200)
            }
        }
    }
}
