import Cache
import FoundationEssentials
import Model
import Reads
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import Varlink

private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

extension PictureReply {
    fileprivate var bytes: [UInt8]? { Data(base64Encoded: content).map { [UInt8]($0) } }
}

@Suite("GetPicture", .timeLimit(.hang)) struct PictureTests {
    private func call(_ daemon: Daemon, _ key: String, _ size: PictureSize? = nil) async throws
        -> PictureReply
    {
        try await daemon.call(.getPicture, GetPicture(key: key, size: size))
    }

    @Test("GetPicture fetches the picture of a user, by id, username or address, and caches it")
    func fetched() async throws {
        try await Daemon.with { daemon in
            let sample = FetchedPicture.sample(.thumbnail)
            let reply = try await call(daemon, "sample-full", .thumbnail)
            #expect(reply.bytes == sample.content && reply.contentType == "image/png" && !reply.placeholder)
            daemon.set(.error)
            for key in ["sample-full", "BIGSWAN571", "jennie.nichols@example.com"] {
                #expect(try await call(daemon, key, .thumbnail) == reply)
                // Without a size, the largest cached one.
                #expect(try await call(daemon, key) == reply)
            }
            #expect(try await call(daemon, "sample-full", .large).placeholder)
        }
    }

    @Test("GetPicture fetches the medium size if no size is given and none is cached")
    func medium() async throws {
        let asked = Mutex<[String]>([])
        var upstream = Daemon.Upstream()
        upstream.pictures = PicturesService { url, _ in
            asked.withLock { $0.append(url) }
            return .picture(FetchedPicture(content: [1], contentType: "image/gif"))
        }
        try await Daemon.with(upstream: upstream) { daemon in
            let reply = try await daemon.call("GetPicture", #"{"key":"sample-full"}"#)
            #expect(reply == #"{"content":"AQ==","content_type":"image/gif","placeholder":false}"#)
            #expect(asked.withLock { $0 } == ["https://mock.invalid/jennie.medium.png"])
        }
    }

    @Test(
        "GetPicture returns the placeholder, a PNG, if there is no picture or it can't be fetched",
        arguments: [MockBehavior.empty, .error])
    func placeholder(behavior: MockBehavior) async throws {
        try await Daemon.with { daemon in
            daemon.set(behavior)
            let none = try await call(daemon, "sample-bare")
            #expect(none.placeholder && none.contentType == "image/png")
            #expect(try #require(none.bytes).starts(with: png))
            #expect(try await call(daemon, "sample-full") == none)
        }
    }

    @Test("GetPicture returns the placeholder after eight seconds, and reads continue meanwhile")
    func patience() async throws {
        try await Daemon.with { daemon in
            daemon.set(.hang)
            async let reply = call(daemon, "sample-full")
            while try await daemon.clock.sleeps.receive() != .seconds(8) {}
            #expect(try await daemon.call(.getUser, GetUser(key: "sample-full")).user == User.samples[0])
            daemon.clock.advance(by: .seconds(8))
            #expect(try await reply.placeholder)
        }
    }

    @Test("GetPicture reports missing users, ambiguous keys and invalid sizes")
    func errors() async throws {
        var upstream = Daemon.Upstream()
        upstream.users = ["1", "2"].map {
            User(id: $0, name: User.Name(first: "", last: "")) {
                $0.email = "a@example.com"
            }
        }
        try await Daemon.with(upstream: upstream) { daemon in
            #expect(try await daemon.error("GetPicture", #"{"key":"eve"}"#) == .notFound(key: "eve"))
            #expect(
                try await daemon.error("GetPicture", #"{"key":"a@example.com"}"#)
                    == .ambiguous(key: "a@example.com", ids: ["1", "2"]))
            await #expect(throws: VarlinkError.invalidParameter("size")) {
                try await daemon.call("GetPicture", #"{"key":"1","size":"huge"}"#)
            }
            await daemon.cache.close()
            guard case .cacheUnavailable? = try await daemon.error("GetPicture", #"{"key":"1"}"#) else {
                Issue.record("another error")
                return
            }
        }
    }

    @Test("A picture of two mebibytes arrives complete over the socket")
    func large() async throws {
        var upstream = Daemon.Upstream()
        let content = (0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        upstream.pictures = PicturesService { _, _ in
            .picture(FetchedPicture(content: content, contentType: "image/jpeg"))
        }
        try await Daemon.with(upstream: upstream) { daemon in
            let replies = [try await call(daemon, "sample-full"), try await call(daemon, "sample-full")]
            #expect(replies.allSatisfy { $0.bytes == content })
        }
    }

    @Test("Without a daemon, the cache answers, with the placeholder for missing pictures")
    func offline() async throws {
        try await Daemon.with { daemon in
            let fetched = try await call(daemon, "sample-full", .large)
            let reads = ReadMethods(daemon.cache.reader)
            func read(_ size: PictureSize) async throws -> PictureReply {
                let parameters = try encoded(GetPicture(key: "sample-full", size: size))
                let reply = try await reads.answer("GetPicture", parameters)
                return try decoded(PictureReply.self, from: #require(reply))
            }
            #expect(try await read(.large) == fetched)
            #expect(try await read(.medium).placeholder)
        }
    }
}
