import Foundation
import Model
import Services
import Testing

@Suite("Pictures")
struct PicturesTests {
    private func pictures(_ stub: Stub, upstream: URL = api) -> PicturesService {
        .live(transport: stub.transport, upstream: upstream, maximumBytes: 9, now: { now })
    }

    @Test("are fetched as images, within their limit, without credentials")
    func fetch() async throws {
        let stub = Stub("png", headers: ["Content-Type": " Image/PNG ; x=y"])
        let picture = try await pictures(stub).fetch("https://users.example/p.png")
        #expect(picture == FetchedPicture(content: Array("png".utf8), contentType: "image/png"))
        #expect(
            stub.asked == [
                HTTPRequest(
                    url: URL(string: "https://users.example/p.png")!, headers: ["Accept": "image/*"],
                    maximumBodyBytes: 9)
            ])
    }

    @Test("are nothing but images", arguments: ["text/html", "", "image", "application/image/png"])
    func notImages(type: String) async throws {
        let stub = Stub("<html>", headers: ["Content-Type": type])
        let error = try await thrown { try await pictures(stub).fetch("https://p.example/1?t=s") }
        #expect(error.failure.kind == .decode)
        #expect(error.failure.message == "https://p.example/1 is no picture but '\(type)'")
    }

    @Test("are never empty")
    func empty() async throws {
        let stub = Stub("", headers: ["Content-Type": "image/png"])
        #expect(
            try await thrown { try await pictures(stub).fetch("https://p.example/1") }.failure.kind == .decode
        )
    }

    @Test("that are not there are http failures")
    func notFound() async throws {
        let error = try await thrown {
            try await pictures(Stub("", status: 404)).fetch("https://p.example/1")
        }
        #expect((error.failure.kind, error.failure.httpStatus) == (.http, 404))
    }

    @Test(
        "have an http address",
        arguments: ["", "file:///etc/passwd", "/portraits/1.jpg", "https://", "javascript:1", "http://a b/"])
    func addresses(address: String) async throws {
        let stub = Stub("")
        let error = try await thrown { try await pictures(stub).fetch(address) }
        #expect(error.failure.kind == .decode)
        #expect(stub.asked.isEmpty)
    }

    @Test("at internal hosts are fetched for internal upstreams only")
    func internalHosts() async throws {
        let stub = Stub("png", headers: ["Content-Type": "image/png"])
        let address = "http://169.254.169.254/latest"
        #expect(try await thrown { try await pictures(stub).fetch(address) }.failure.kind == .redirect)
        #expect(stub.asked.isEmpty)
        let local = URL(string: "http://127.0.0.1:8080/api/")!
        #expect(try await pictures(stub, upstream: local).fetch(address).contentType == "image/png")
    }
}
