import Foundation
import Glibc
import HTTP
import Model
import Platform
import TestSupport
import Testing
import Upstream

@Suite("Who may connect to the redirect's address", .timeLimit(.hang))
struct ListenerTests {
    @Test("Programs that connect and say nothing keep no browser out, and are let go after a while")
    func silent() async throws {
        try await withPerson { person in
            let prompts = Channel<SignInPrompt>()
            let userd = person.userd(connectionLimit: .milliseconds(200))
            let signIn = Task { try await userd.signIn(.browser) { prompts.send($0) } }
            let prompt = try await prompts.receive()
            let crowd = try Crowd(of: 200, at: try port(of: prompt))
            try await crowd.isLetGo()
            let late = try Crowd(of: 40, at: try port(of: prompt))
            try await person.visit(person.provider.approve(prompt.address))
            #expect(try await signIn.value.signedIn)
            try await late.isLetGo()
        }
    }

    @Test(
        "Another user of the machine gets no answer, and the browser still does",
        arguments: ["127.0.0.1", "::1"])
    func otherUser(host: String) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        if host == "::1", try await !hasIPv6() { return }
        try await withPerson(nil, { $0.redirect = RedirectAddress("http://localhost/cb")! }) { person in
            let prompts = Channel<SignInPrompt>()
            let userd = person.userd()
            let signIn = Task { try await userd.signIn(.browser) { prompts.send($0) } }
            let prompt = try await prompts.receive()
            let redirect = person.provider.approve(prompt.address)
            let visit = """
                import socket, sys
                peer = socket.create_connection((sys.argv[1], int(sys.argv[2])))
                try:
                    peer.sendall(b"GET /cb?" + sys.argv[3].encode() + b" HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n")
                    print(peer.recv(1000))
                except (ConnectionResetError, BrokenPipeError): print(b"")
                """
            let port = try port(of: prompt)
            let python = ["/usr/bin/python3", "-c", visit, host, "\(port)", query(redirect)]
            let other = try await run(
                "/usr/bin/setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups"] + python,
                environment: [:])
            #expect(other.output == "b''\n", "\(other)")
            let own = try await run("/usr/bin/env", python, environment: [:])
            #expect(own.output.contains("200 OK"), "\(own)")
            #expect(try await signIn.value.signedIn)
        }
    }
}

/// Connections that send nothing.
private final class Crowd: Sendable {
    private let descriptors: [Int32]

    init(of count: Int, at port: Int) throws {
        descriptors = try (0..<count).map { _ in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let result = LoopbackSocket.withAddress(port) { connect(descriptor, $0, $1) }
            try #require(result == 0)
            return descriptor
        }
    }

    /// Waits until the other side has closed all.
    func isLetGo() async throws {
        let descriptors = descriptors
        try await onThread {
            for descriptor in descriptors {
                var byte: UInt8 = 0
                #expect(recv(descriptor, &byte, 1, 0) <= 0)
            }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
