import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("The mark where a sign-in or a secret has ended", .timeLimit(.hang))
struct AttentionTests {
    private struct Content: Decodable {
        var kind, id: String
    }
    private struct Mark {
        var content: Content
        var number: ino_t
        var mode: mode_t
    }

    private func mark(on machine: Machine) throws -> Mark? {
        let path = machine.cacheDirectory + "/attention"
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: URL(filePath: path)))
        return Mark(content: content, number: status.st_ino, mode: status.st_mode & 0o7777)
    }

    @Test("A sign-in that has ended is marked once, without names, until somebody signs in again")
    func signIn() async throws {
        try await onMachine { machine in
            let provider = try await Provider(on: machine, "provider.py", ["--access", "2"])
            let settings = provider.settings()
            let userd = try await machine.startUserd(settings)
            #expect(try await machine.sync(.users).failure?.kind == .credentials)
            #expect(try mark(on: machine) == nil, "nobody has signed in yet")
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            try await wait { try await machine.state(of: .users).phase == .loaded }
            #expect(try mark(on: machine) == nil)

            try await provider.revoke()
            try await wait { try mark(on: machine) != nil }
            let first = try #require(try mark(on: machine))
            #expect(first.content.kind == "signIn" && first.mode == 0o600)
            let text = try String(contentsOfFile: machine.cacheDirectory + "/attention", encoding: .utf8)
            #expect(text == #"{"id":"\#(first.content.id)","kind":"signIn"}"#)
            #expect(first.content.id.allSatisfy { $0.isNumber })

            // The same file, as if nothing had happened.
            #expect(try await machine.sync(.users).phase == .error)
            userd.send(SIGTERM)
            try await userd.ended()
            #expect(try mark(on: machine)?.number == first.number)
            try await machine.startUserd(settings)
            #expect(try await machine.sync(.users).phase == .error)
            #expect(try mark(on: machine)?.number == first.number)

            try #require(try await provider.userctl(["sign-in"]).code == 0)
            try await wait { try mark(on: machine) == nil }
        }
    }

    @Test(
        "A token in the person's own folder that is refused is marked, and one elsewhere is not",
        arguments: [true, false])
    func secret(isOwn: Bool) async throws {
        try await onMachine { machine in
            let server = try RawServer { connection in
                let isGood = connection.readHead().contains("Bearer t0ken-2")
                let body = isGood ? #"{"results":[{"name":{"last":"N"},"email":"n@x"}]}"# : "{}"
                connection.send(
                    "HTTP/1.1 \(isGood ? "200 OK" : "401 Unauthorized")\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
                )
            }
            let folder = machine.file(isOwn ? "config/userd" : "etc")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            func put(_ token: String) throws {
                try Data("\(token)\n".utf8).write(to: URL(filePath: folder + "/token"))
                chmod(folder + "/token", 0o600)
            }
            try put("t0ken-1")
            try await machine.startUserd([
                "users.url": "http://127.0.0.1:\(server.port)/api/", "users.query": "", "users.pages": "1",
                "users.token_file": folder + "/token", "users.interval": "1d",
            ])
            try await wait { try await machine.state(of: .users).failure?.httpStatus == 401 }
            if isOwn {
                try await wait { try mark(on: machine)?.content.kind == "secret" }
                #expect(try mark(on: machine)?.mode == 0o600)
            }
            let before = try mark(on: machine)
            #expect((before == nil) == !isOwn)
            #expect(try await machine.sync(.users).failure?.httpStatus == 401)
            #expect(try mark(on: machine)?.number == before?.number)
            try put("t0ken-2")
            try await wait { try await machine.state(of: .users).phase == .loaded }
            try await wait { try mark(on: machine) == nil }
        }
    }
}
