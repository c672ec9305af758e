import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Pictures over HTTP")
struct PicturesTests {
    private func pictures(_ stub: Stub, upstream: URL = api) -> PicturesService {
        .live(transport: stub.transport, upstream: upstream, maximumBytes: 9, now: { now })
    }

    @Test("Pictures are fetched as images, within their limit, without credentials")
    func fetch() async throws {
        let stub = Stub("png", headers: ["Content-Type": " Image/PNG ; x=y"])
        let answer = try await pictures(stub).fetch("https://users.example/p.png", nil)
        #expect(answer == .picture(FetchedPicture(content: Array("png".utf8), contentType: "image/png")))
        #expect(
            stub.asked == [
                HTTPRequest(
                    url: URL(string: "https://users.example/p.png")!, headers: ["Accept": "image/*"],
                    maximumBodyBytes: 9)
            ])
    }

    @Test(
        "Answers other than images are not accepted as pictures",
        arguments: ["text/html", "", "image", "application/image/png"])
    func notImages(type: String) async throws {
        let stub = Stub("<html>", headers: ["Content-Type": type])
        let error = try await thrown { try await pictures(stub).fetch("https://p.example/1?t=s", nil) }
        #expect(error.failure.kind == .decode)
        #expect(error.failure.message == "https://p.example/1 is not a picture but '\(type)'")
    }

    @Test("An empty answer is not a picture")
    func empty() async throws {
        let stub = Stub("", headers: ["Content-Type": "image/png"])
        #expect(
            try await thrown { try await pictures(stub).fetch("https://p.example/1", nil) }.failure.kind
                == .decode
        )
    }

    @Test("Pictures are requested conditionally, and are then unchanged or new")
    func conditional() async throws {
        let known = Validators(etag: "\"1\"", lastModified: "Thu, 01 Jan 2026 00:00:00 GMT")
        let unchanged = Stub("", status: 304)
        #expect(try await pictures(unchanged).fetch("https://p.example/1", known) == .unchanged)
        #expect(
            unchanged.asked.map(\.headers) == [
                [
                    "Accept": "image/*", "If-None-Match": "\"1\"",
                    "If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT",
                ]
            ])
        let changed = Stub("new", headers: ["Content-Type": "image/gif", "ETag": "\"2\""])
        #expect(
            try await pictures(changed).fetch("https://p.example/1", known)
                == .picture(
                    FetchedPicture(
                        content: Array("new".utf8), contentType: "image/gif",
                        validators: Validators(etag: "\"2\""))))
    }

    @Test("A 304 to an unconditional request for a picture is a failure that is not retried")
    func unchangedFromNothing() async throws {
        let error = try await thrown {
            try await pictures(Stub("", status: 304)).fetch("https://p.example/1", nil)
        }
        #expect((error.failure.kind, error.failure.httpStatus) == (.http, 304))
        #expect(!error.failure.retryable)
    }

    @Test("Validators of a picture that can't be sent back are dropped")
    func oddValidators() async throws {
        for tag in ["\"\(String(repeating: "x", count: 1024))\"", "*", "x", "\"a\u{1B}\""] {
            let stub = Stub("png", headers: ["Content-Type": "image/png", "ETag": tag])
            #expect(
                try await pictures(stub).fetch("https://p.example/1", nil)
                    == .picture(FetchedPicture(content: Array("png".utf8), contentType: "image/png")))
        }
    }

    @Test("A missing picture is an http failure")
    func notFound() async throws {
        let error = try await thrown {
            try await pictures(Stub("", status: 404)).fetch("https://p.example/1", nil)
        }
        #expect((error.failure.kind, error.failure.httpStatus) == (.http, 404))
    }

    @Test(
        "A picture's address has to be http or https",
        arguments: [
            "", "file:///etc/passwd", "/portraits/1.jpg", "https://", "javascript:1", "http://a b/",
            "http://127.0.0.1:99999/a.png", "https://p.example:0/", "http://127%2e0%2e0%2e1/a.png",
        ])
    func addresses(address: String) async throws {
        let stub = Stub("")
        let error = try await thrown { try await pictures(stub).fetch(address, nil) }
        #expect(error.failure.kind == .decode)
        #expect(stub.asked.isEmpty)
    }

    @Test("Pictures at internal hosts are fetched only for internal upstreams")
    func internalHosts() async throws {
        let stub = Stub("png", headers: ["Content-Type": "image/png"])
        let address = "http://169.254.169.254/latest"
        #expect(try await thrown { try await pictures(stub).fetch(address, nil) }.failure.kind == .redirect)
        #expect(stub.asked.isEmpty)
        let local = URL(string: "http://127.0.0.1:8080/api/")!
        let answer = try await pictures(stub, upstream: local).fetch(address, nil)
        #expect(answer == .picture(FetchedPicture(content: Array("png".utf8), contentType: "image/png")))
    }

    @Test("Pictures at names of internal hosts are refused, and so are redirects to them")
    func resolved() async throws {
        let rule = RedirectRule(lookUp: { $0 == "p.example" ? ["10.0.0.1"] : ["192.0.2.1"] })
        let stub = Stub("png", headers: ["Content-Type": "image/png"])
        let pictures = PicturesService.live(
            transport: stub.transport, upstream: api, rule: rule, now: { now })
        let error = try await thrown { try await pictures.fetch("https://p.example/1", nil) }
        #expect(error.failure.kind == .redirect && stub.asked.isEmpty)
        _ = try await pictures.fetch("https://q.example/1", nil)
        #expect(stub.addresses == ["https://q.example/1"])
    }
}
