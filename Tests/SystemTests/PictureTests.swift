import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Pictures of a running daemon", .timeLimit(.hang))
struct PictureTests {
    private let settings = ["users.pictures": "thumbnail", "users.page_size": "12"]

    @Test("Thumbnails are fetched once after a sync, missing ones fail nothing, and removed users' ones go")
    func thumbnails() async throws {
        try await onMachine(users: 12) { machine in
            let paths = try await machine.thumbnails()
            // Two users with pictures of their own.
            let alone = paths.indices.filter { index in paths.count { $0 == paths[index] } == 1 }
            let (missing, leaving) = (paths[try #require(alone.first)], try #require(alone.last))
            try await machine.upstream.setFaults([Fault(.status(404), path: missing)])
            machine.upstream.forgetRequests()

            let userd = try await machine.startUserd(settings)
            try await userd.line(containing: "Pictures fetched")
            #expect(try await machine.state(of: .users).phase == .loaded)
            for path in paths { #expect(machine.upstream.requests(for: path) == 1, "\(path)") }
            #expect(machine.upstream.requests(for: "/portraits") == Set(paths).count)
            let users = try await machine.users()
            func user(_ path: String) throws -> User {
                try #require(users.first { $0.picture?.thumbnail == machine.upstream.url(path) })
            }
            let (left, stays) = (try user(paths[leaving]), try user(paths[alone[1]]))
            let leftContent = try await machine.served(paths[leaving])
            let staysContent = try await machine.served(paths[alone[1]])
            #expect(try await machine.picture(left) == PictureReply(png: leftContent))
            let unpictured = try user(missing)
            #expect(try await machine.picture(unpictured).placeholder)

            machine.upstream.forgetRequests()
            var offset = userd.bytes(.errors).count
            #expect(try await machine.sync(.users).phase == .loaded)
            try await userd.line(containing: "No picture was fetched", from: offset)
            #expect(machine.upstream.requests(for: "/portraits") == 0)

            #expect(try machine.cached(leftContent))
            try machine.upstream.edit(Edit(removed: .records([leaving])))
            offset = userd.bytes(.errors).count
            #expect(try await machine.sync(.users).count == 11)
            try await userd.line(containing: "No picture was fetched", from: offset)
            // The old content stays in the log until that is copied into the cache.
            let end = ContinuousClock.now + .seconds(60)
            while try machine.cached(leftContent), ContinuousClock.now < end {
                _ = try await machine.state(of: .users)
            }
            #expect(try !machine.cached(leftContent))
            #expect(try machine.cached(staysContent))

            try await machine.upstream.takeDown()
            #expect(try await machine.picture(stays) == PictureReply(png: staysContent))
            #expect(try await machine.picture(stays, nil) == PictureReply(png: staysContent))
            #expect(try await machine.picture(stays, .large).placeholder)
        }
    }

    @Test(
        "userctl reads a picture from the cache if userd hangs, soon after its timeout"
    )
    func hanging() async throws {
        try await onMachine(users: 1) { machine in
            let userd = try await machine.startUserd()
            _ = try await machine.sync(.users)
            let user = try #require(try await machine.users().first)
            let picture = try await machine.picture(user, .large)
            userd.send(SIGSTOP)
            let file = machine.file("picture")
            let result = try await run(
                Program.userctl.path, ["picture", user.id, "--size", "large", "--output", file],
                environment: machine.environment, within: .seconds(50))
            #expect(result.code == 0)
            #expect(result.errors.hasPrefix("userctl: userd does not answer; reading the cache at "))
            #expect(try Data(contentsOf: URL(filePath: file)) == Data(base64Encoded: picture.content))
        }
    }

    @Test("Pictures that a killed daemon was fetching are fetched by the next one without a sync")
    func killed() async throws {
        try await onMachine(users: 12) { machine in
            try await machine.upstream.setFaults([Fault(.stall, path: "/portraits")])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            let userd = try await machine.startUserd(settings)
            while let arrival = await arrivals.next(), !arrival.path.hasPrefix("/portraits") {}
            userd.send(SIGKILL)
            try await userd.ended()
            try await machine.upstream.setFaults([])
            machine.upstream.forgetRequests()
            let next = try await machine.startUserd(settings)
            try await next.line(containing: "Pictures fetched")
            #expect(machine.upstream.requests(for: "/portraits") > 0)
            #expect(machine.upstream.requests(for: "/api") == 0)
        }
    }

    @Test("SIGTERM does not wait for pictures that do not arrive")
    func terminated() async throws {
        try await onMachine(users: 12) { machine in
            try await machine.upstream.setFaults([Fault(.stall, path: "/portraits")])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            let userd = try await machine.startUserd(settings)
            while let arrival = await arrivals.next(), !arrival.path.hasPrefix("/portraits") {}
            userd.send(SIGTERM)
            #expect(try await userd.ended(within: .seconds(40)) == .exited(0))
        }
    }

    @Test("During a pause only requested pictures are fetched; afterwards a sync fetches them again")
    func paused() async throws {
        try await onMachine(users: 12) { machine in
            let userd = try await machine.startUserd(settings.merging(["paused": "true"]) { $1 })
            try await userd.line(containing: "Pictures wait for the end of the pause")
            let offset = userd.bytes(.errors).count
            _ = try await machine.sync(.users)
            try await userd.line(containing: "Pictures wait for the end of the pause", from: offset)
            #expect(machine.upstream.requests(for: "/portraits") == 0)
            let user = try #require(try await machine.users().first)
            #expect(try await !machine.picture(user, .large).placeholder)
            #expect(machine.upstream.requests(for: "/portraits") == 1)
            #expect(try await machine.userctl(["resume"]).code == 0)
            _ = try await machine.sync(.users)
            try await userd.line(containing: "Pictures fetched")
        }
    }

    @Test("userctl writes the picture that upstream serves, also without userd, and draws it in the card")
    func command() async throws {
        try await onMachine(users: 1) { machine in
            let userd = try await machine.startUserd()
            _ = try await machine.sync(.users)
            let user = try #require(try await machine.users().first)
            let address = try #require(user.picture?.large.flatMap { URL(string: $0) })
            let served = try await machine.served(address.path)
            let file = machine.file("picture.png")
            let arguments = ["picture", user.id, "--size", "large", "--output", file]
            let written = try await machine.userctl(arguments)
            #expect(written.code == 0 && written.errors == "")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == served)

            userd.send(SIGTERM)
            try await userd.ended()
            let again = try await machine.userctl(arguments)
            #expect(again.code == 0 && again.errors.contains("reading the cache"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == served)
            let card = try await run(
                "/usr/bin/script", ["-qec", "\(Program.userctl.path) show \(user.id)", "/dev/null"],
                environment: machine.environment.merging(["TERM": "xterm-kitty", "PATH": "/usr/bin:/bin"]) {
                    $1
                })
            #expect(card.output.contains("\u{1B}_Ga=T,f=32,"))
        }
    }

    @Test("Without users.pictures only requested pictures are fetched; SIGHUP adopts the setting")
    func setting() async throws {
        try await onMachine(users: 12) { machine in
            let userd = try await machine.startUserd(["users.page_size": "12"])
            _ = try await machine.sync(.users)
            #expect(machine.upstream.requests(for: "/portraits") == 0)
            let user = try #require(try await machine.users().first)
            #expect(try await !machine.picture(user, .large).placeholder)
            #expect(machine.upstream.requests(for: "/portraits") == 1)

            let directory = machine.file("config/userd")
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data("users:\n  pictures: thumbnail\n".utf8).write(
                to: URL(fileURLWithPath: directory + "/config.yaml"))
            machine.upstream.forgetRequests()
            userd.send(SIGHUP)
            try await userd.line(containing: "Pictures fetched")
            let paths = try await Set(machine.thumbnails())
            #expect(machine.upstream.requests(for: "/portraits/thumb") == paths.count)
        }
    }
}

extension PictureReply {
    fileprivate init(png: Data) {
        self.init(content: png.base64EncodedString(), contentType: "image/png", placeholder: false)
    }
}

extension Machine {
    fileprivate func picture(_ user: User, _ size: PictureSize? = .thumbnail) async throws -> PictureReply {
        try await call(.getPicture, GetPicture(key: user.id, size: size))
    }

    /// The paths of the pictures of upstream's users, in upstream's order.
    fileprivate func thumbnails() async throws -> [String] {
        struct Answer: Decodable {
            struct Person: Decodable { var picture: User.Picture }
            var results: [Person]
        }
        let body = try await fetchBody(port: upstream.port, "/api/?seed=system&results=12")
        return try JSONDecoder().decode(Answer.self, from: Data(body)).results.map {
            String(try #require($0.picture.thumbnail).dropFirst(upstream.url().count))
        }
    }

    fileprivate func served(_ path: String) async throws -> Data {
        Data(try await fetchBody(port: upstream.port, path))
    }

    /// Whether the cache's files contain these bytes.
    fileprivate func cached(_ content: Data) throws -> Bool {
        try ["", "-wal"].contains {
            try Data(contentsOf: URL(fileURLWithPath: database + $0)).range(of: content) != nil
        }
    }
}
