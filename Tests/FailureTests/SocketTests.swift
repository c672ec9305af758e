import Foundation
import HTTP
import Model
import Sync
import TestSupport
import Testing

@Suite("Failures of connections and answers", .timeLimit(.hang))
struct SocketTests {
    /// A row with a server that reads the request and then does this.
    private static func answering(
        _ name: String, _ kind: Failure.Kind, _ message: String, isRetryable: Bool = true,
        limits: HTTPLimits = .generous, _ serve: @escaping @Sendable (RawConnection) -> Void
    ) -> Row {
        Row(
            name: name, kind: kind, message: message, isRetryable: isRetryable, limits: limits,
            trouble: {
                try .raw { connection in
                    connection.readHead()
                    serve(connection)
                }
            })
    }

    private static func answering(
        _ name: String, _ kind: Failure.Kind, _ message: String, body: String, _ headers: String...
    ) -> Row {
        let fields = headers.map { $0 + "\r\n" }.joined()
        return answering(name, kind, message) {
            $0.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
    }

    static let connections = [
        Row(
            name: "an unknown host name", kind: .offline,
            // The reason differs without a network.
            message: "could not find host.invalid: *",
            trouble: { try .detour("http://host.invalid/api/") }),
        Row(
            name: "no route", kind: .offline, message: "could not connect to URL: network is unreachable",
            trouble: { try .detour("http://255.255.255.255/api/") }),
        Row(
            name: "a connection that is not accepted", kind: .timeout,
            message: "could not connect to URL in time",
            limits: .shortOfBreath,
            trouble: {
                let listener = try FullListener()
                return try .detour(
                    "http://127.0.0.1:\(listener.port)/api/", stop: { listener.stop() })
            }),
        answering(
            "a close without an answer", .offline, "URL closed the connection before it had answered in full"
        ) { _ in },
        answering(
            "a reset without an answer", .offline, "URL reset the connection before it had answered in full"
        ) {
            $0.resetOnClose()
        },
        answering(
            "a reset in the body", .offline, "URL reset the connection after * of 100 bytes of its answer"
        ) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
            $0.resetOnClose()
        },
        answering(
            "a body cut short", .offline, "URL closed the connection after 3 of 100 bytes of its answer"
        ) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
        },
        answering("chunks cut short", .offline, "URL closed the connection after 3 bytes of its answer") {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
        },
        answering(
            "half a header", .timeout,
            "URL has not answered in full after 2.0 seconds: its headers had not arrived",
            limits: .hasty
        ) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Le")
            $0.waitForEnd()
        },
        answering(
            "chunks that stop", .timeout,
            "URL has not answered in full after 2.0 seconds: headers and 3 bytes of the body had arrived",
            limits: .hasty
        ) {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            $0.waitForEnd()
        },
    ]

    static let answers = [
        answering("another protocol", .http, "URL does not answer in HTTP: *") {
            $0.send("SSH-2.0-OpenSSH_9.2\r\n\r\n")
        },
        answering(
            "a length over the limit", .tooLarge, "the answer of URL is larger than 1048576 bytes",
            isRetryable: false
        ) {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n")
            $0.waitForEnd()
        },
        answering(
            "more than the limit without a length", .tooLarge,
            "the answer of URL is larger than 1048576 bytes", isRetryable: false
        ) {
            $0.send("HTTP/1.1 200 OK\r\n\r\n")
            while $0.send(Array(repeating: 0x20, count: 65_536)) {}
        },
        Row(
            name: "endless redirects", kind: .redirect,
            message: "URLxxxxx redirects to URLxxxxxx, after 5 redirects", isRetryable: false,
            trouble: {
                try .raw { connection in
                    let path = connection.readHead().split(separator: " ")[1].prefix { $0 != "?" }
                    connection.send(answer("302 Found", "", "Location: \(path)x"))
                }
            }),
        answering(
            "damaged gzip", .decode, "the compressed answer of URL is damaged", body: "abcdefgh",
            "Content-Encoding: gzip"),
        answering(
            "an encoding not asked for", .decode,
            "URL used a content encoding that userd does not support: br",
            body: "abcdefgh", "Content-Encoding: br"),
        answering(
            "invalid JSON", .decode,
            "cannot read page 1 of URL: not JSON: line 1, column 15: trailing comma*",
            body: #"{"results": [],}"#),
        answering("no body", .decode, "cannot read page 1 of URL: not JSON: *", body: ""),
        answering(
            "text", .decode, "cannot read page 1 of URL: not JSON: *; it begins with 'Sorry'", body: "Sorry"),
        answering(
            "JSON of another shape", .decode, "cannot read page 1 of URL: no list at *",
            body: #"{"users": []}"#),
        answering(
            "a user without a name", .decode, "cannot read page 1 of URL: record 2: no name at *",
            body: #"{"results": [{"name": {"last": "A"}}, {"gender": "female"}]}"#),
    ]

    @Test("Each failure has its kind and wait, and a later sync recovers", arguments: connections + answers)
    func rows(_ row: Row) async throws { try await row.check() }

    @Test("Facts load while the upstream of users does not answer")
    func stalled() async throws {
        let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
        let trouble = try Trouble.raw { connection in
            connection.readHead()
            isAsked.yield()
            connection.waitForEnd()
        }
        try await Rig.with(trouble) { rig in
            let users = try await rig.users()
            try await rig.begin()
            _ = try await rig.engine.sync([.users])
            for await _ in asked { break }
            #expect(try await rig.engine.sync([.facts], wait: true).map(\.phase) == [.loaded])
            #expect(try rig.state(.users).phase == .syncing)
            #expect(try await rig.users() == users)
            #expect(try await rig.engine.cancel([.users]).map(\.phase) == [.loaded])
        }
    }
}

extension HTTPLimits {
    /// Limits that end a wait for a connection early.
    static let shortOfBreath = HTTPLimits(
        connectTimeout: .milliseconds(300), deadline: .seconds(40), maxResponseBytes: 1 << 20)
}
