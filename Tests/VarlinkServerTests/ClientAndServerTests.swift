import Glibc
import StrictJSON
import TestSupport
import Testing
import Varlink
import VarlinkServer

@Suite(.timeLimit(.hang)) struct ClientAndServerTests {
    @Test("Each call on a connection gets its own reply")
    func calls() async throws {
        try await withServer { path, _ in
            let replies = try await onThread {
                let client = try VarlinkClient(path: path)
                return try (0..<3).map { n in
                    String(
                        decoding: try client.call(
                            "org.example.Echo", parameters: Array(#"{"text":"\#(n)"}"#.utf8),
                            timeout: .seconds(10)),
                        as: UTF8.self)
                }
            }
            #expect(replies == [#"{"text":"0"}"#, #"{"text":"1"}"#, #"{"text":"2"}"#])
        }
    }

    @Test("An error reply is thrown and leaves the connection usable")
    func errors() async throws {
        try await withServer { path, _ in
            try await onThread {
                let client = try VarlinkClient(path: path)
                #expect(throws: VarlinkError.methodNotFound("org.example.No")) {
                    try client.call("org.example.No", timeout: .seconds(10))
                }
                #expect(throws: VarlinkError.invalidParameter("text")) {
                    try client.call("org.example.Note", timeout: .seconds(10))
                }
                #expect(throws: VarlinkError.expectedMore) {
                    try client.call(
                        "org.example.Count", parameters: Array(#"{"to":1}"#.utf8), timeout: .seconds(10))
                }
                #expect(try client.call("org.example.Echo", timeout: .seconds(10)) == emptyParameters)
            }
        }
    }

    @Test("A call with more gets each reply in order, and the connection goes on after the last")
    func more() async throws {
        try await withServer { path, _ in
            let replies = try await onThread {
                let client = try VarlinkClient(path: path)
                var replies: [String] = []
                try client.callMore(
                    "org.example.Count", parameters: Array(#"{"to":3}"#.utf8), timeout: .seconds(10)
                ) {
                    replies.append(String(decoding: $0.raw, as: UTF8.self))
                    return .proceed
                }
                #expect(try client.call("org.example.Echo", timeout: .seconds(10)) == emptyParameters)
                return replies
            }
            #expect(replies == [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#])
        }
    }

    @Test("A stream that fails ends with its error")
    func streamFails() async throws {
        try await withServer { path, _ in
            try await onThread {
                let client = try VarlinkClient(path: path)
                var count = 0
                #expect(throws: VarlinkError(name: "org.example.Failed")) {
                    try client.callMore("org.example.FailLater", timeout: .seconds(10)) { _ in
                        count += 1
                        return .proceed
                    }
                }
                #expect(count == 1)
                #expect(try client.call("org.example.Echo", timeout: .seconds(10)) == emptyParameters)
            }
        }
    }

    @Test("Nothing is requested from a stream after its last reply, even if that fills the buffers")
    func largeLastReply() async throws {
        try await withServer { path, backstage in
            try await onThread {
                let client = try VarlinkClient(path: path)
                try client.callMore("org.example.Large", timeout: .seconds(10)) { _ in .proceed }
                _ = try client.call(
                    "org.example.Note", parameters: Array(#"{"text":"a"}"#.utf8), timeout: .seconds(10))
            }
            #expect(await backstage.next() == #"{"text":"a"}"#)
        }
    }

    @Test("A call without more gets the first reply of a stream as its last, and the stream is cancelled")
    func streamWithoutMore() async throws {
        try await withServer { path, backstage in
            let peer = try RawPeer(path)
            try peer.send(#"{"method":"org.example.FailLater"}"#, #"{"method":"org.example.Echo"}"#)
            let replies = try await peer.receive(2)
            #expect(replies == [#"{"parameters":{"n":1}}"#, #"{"parameters":{}}"#])
            #expect(await backstage.next() == "stream cancelled")
        }
    }

    @Test("A client that stops in the middle cancels the stream and can't be used again")
    func stop() async throws {
        try await withServer { path, backstage in
            try await onThread {
                let client = try VarlinkClient(path: path)
                try client.callMore("org.example.Flood", timeout: .seconds(10)) { _ in .stop }
                #expect(throws: VarlinkClientError.closed) {
                    try client.call("org.example.Echo", timeout: .seconds(10))
                }
            }
            #expect(await backstage.next() == "stream cancelled")
        }
    }

    @Test("A call that takes too long times out, and its late reply is never used for another call")
    func timeout() async throws {
        try await withServer { path, backstage in
            try await onThread {
                let client = try VarlinkClient(path: path)
                #expect(throws: VarlinkClientError.timedOut) {
                    try client.call("org.example.Block", timeout: .milliseconds(20))
                }
                #expect(throws: VarlinkClientError.closed) {
                    try client.call("org.example.Echo", timeout: .seconds(10))
                }
            }
            #expect(await backstage.next() == "blocked")
        }
    }

    @Test("A client that waits forever can be stopped from another thread")
    func interrupt() async throws {
        try await withServer { path, backstage in
            let (interrupts, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
            async let outcome: Void = onThread {
                let client = try VarlinkClient(path: path)
                continuation.yield(client.interrupt)
                #expect(throws: VarlinkClientError.interrupted) {
                    try client.call("org.example.Block", timeout: nil)
                }
            }
            var iterator = interrupts.makeAsyncIterator()
            let interrupt = await iterator.next()
            #expect(await backstage.next() == "blocked")
            interrupt?()
            try await outcome
            #expect(await backstage.next() == "cancelled")
        }
    }

    @Test("Requests and replies of half a megabyte arrive complete")
    func large() async throws {
        try await withServer { path, _ in
            let text = Array((#"{"text":""# + String(repeating: "é", count: 250_000) + #""}"#).utf8)
            let reply = try await onThread {
                try VarlinkClient(path: path).call(
                    "org.example.Echo", parameters: text, timeout: .seconds(10))
            }
            #expect(reply == text)
        }
    }

    @Test("Different reasons for a missing connection are different errors")
    func connecting() async throws {
        let directory = try TemporaryDirectory()
        #expect(throws: VarlinkClientError.noSocket(path: directory.file("none"))) {
            try VarlinkClient(path: directory.file("none"))
        }
        #expect(throws: VarlinkClientError.noSocket(path: directory.file("none/s"))) {
            try VarlinkClient(path: directory.file("none/s"))
        }
        try deadSocket(at: directory.file("dead"))
        #expect(throws: VarlinkClientError.refused(path: directory.file("dead"))) {
            try VarlinkClient(path: directory.file("dead"))
        }
        let long = directory.file(String(repeating: "x", count: 108))
        #expect(throws: VarlinkClientError.badPath(path: long)) { try VarlinkClient(path: long) }
        #expect(throws: VarlinkClientError.badPath(path: "")) { try VarlinkClient(path: "") }
    }

    @Test("A listener whose backlog is full does not block forever")
    func fullBacklog() async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("s"), backlog: 0)
        let first = try VarlinkClient(path: directory.file("s"))
        #expect(throws: VarlinkClientError.timedOut) {
            try VarlinkClient(path: directory.file("s"), timeout: .milliseconds(20))
        }
        _ = (listener, first)
    }

    @Test(
        "An answer that is not Varlink is a violation and closes the connection",
        arguments: [
            "nonsense\0", "[]\0", "{\"parameters\":[]}\0", "{\"error\":1}\0", "{\"continues\":1}\0",
            "{\"id\":1}\0",
            "{\"continues\":true}\0", "{\"error\":\"a.B\",\"continues\":true}\0",
        ])
    func violations(answer: String) async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("s"), backlog: 1)
        async let outcome: Void = onThread {
            let client = try VarlinkClient(path: directory.file("s"))
            let error = #expect(throws: VarlinkClientError.self) {
                try client.call("a.B", timeout: .seconds(10))
            }
            guard case .violation = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(throws: VarlinkClientError.closed) { try client.call("a.B", timeout: .seconds(10)) }
        }
        try await onThread { listener.accept(answering: answer) }
        try await outcome
    }

    @Test(
        "The forms of answers that other servers send are understood",
        arguments: [
            ("{}\0", "{}"), ("{\"parameters\":null,\"error\":null,\"continues\":null}\0", "{}"),
            (" {\"parameters\": {\"a\":1} ,\"continues\":false,\"x.y\":1}\0", "{\"a\":1}"),
        ])
    func tolerated(answer: String, expected: String) async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("s"), backlog: 1)
        async let reply = onThread {
            try VarlinkClient(path: directory.file("s")).call("a.B", timeout: .seconds(10))
        }
        try await onThread { listener.accept(answering: answer) }
        #expect(String(decoding: try await reply, as: UTF8.self) == expected)
    }

    @Test("A server that closes in the middle of its answer is not reported as slow")
    func closedInTheMiddle() async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("s"), backlog: 1)
        async let outcome: Void = onThread {
            #expect(throws: VarlinkClientError.closed) {
                try VarlinkClient(path: directory.file("s")).call("a.B", timeout: .seconds(10))
            }
        }
        try await onThread { listener.accept(answering: "{\"parameters\":") }
        try await outcome
    }

    @Test("Bytes after the reply are a violation at the next call")
    func unasked() async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("s"), backlog: 1)
        async let outcome: Void = onThread {
            let client = try VarlinkClient(path: directory.file("s"))
            #expect(try client.call("a.B", timeout: .seconds(10)) == emptyParameters)
            #expect(throws: VarlinkClientError.violation("an unexpected reply")) {
                try client.call("a.B", timeout: .seconds(10))
            }
            // The connection is not kept for later calls.
            #expect(throws: VarlinkClientError.closed) { try client.call("a.B", timeout: .seconds(10)) }
        }
        try await onThread { listener.accept(answering: "{}\0{}\0") }
        try await outcome
    }

    @Test("Each connection failure says what happened")
    func descriptions() {
        #expect(VarlinkClientError.noSocket(path: "/p").description == "there is no socket at /p")
        #expect(VarlinkClientError.refused(path: "/p").description == "no process listens at /p")
        #expect(
            VarlinkClientError.permissionDenied(path: "/p").description == "no permission to connect to /p")
        #expect(VarlinkClientError.badPath(path: "").description.contains("1 to 107 bytes"))
        #expect(
            VarlinkClientError.system(call: "recv", errno: ENOMEM).description
                == "recv: Cannot allocate memory")
        #expect(VarlinkClientError.violation("x").description == "the reply is not valid Varlink: x")
        for error in [VarlinkClientError.timedOut, .closed, .interrupted] {
            #expect(!error.description.isEmpty)
        }
    }
}
