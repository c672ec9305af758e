import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

/// Runs the documents' examples as they are written.
@Suite("The examples of the documents", .timeLimit(.hang))
struct DocumentTests {
    /// Lines of the README that need a person or never end, with the keys to press and the text that shows
    /// success.
    private static let onScreen = [
        "userctl browse": (keys: ["Escape"], shown: "Bradley, Eddie"),
        "userctl pick --field email": (keys: ["Enter"], shown: "eddie.bradley@example.com"),
        "userctl watch": (keys: ["C-c"], shown: "loaded"),
    ]

    @Test("Each line of the README that calls userd or userctl works, in order, under systemd")
    func readme() async throws {
        let lines = try Document("README.md").commands { $0.hasPrefix("userd") || $0.hasPrefix("userctl") }
        #expect(lines.count > 20)
        try await onUserManager(users: 20) { manager in
            try await manager.installUnits()
            try manager.write(
                """
                users: {url: "\(manager.machine.upstream.url("/api/"))", query: "nat=us&seed=999"}
                facts: {url: "\(manager.machine.upstream.url("/facts"))", one_url: "\(manager.machine.upstream.url("/fact"))"}
                """, to: ".config/userd/config.yaml")
            // A program that opens addresses, which a machine without a desktop lacks.
            try writeScript("echo \"$1\" > ~/opened", to: manager.machine.file("home/.local/bin/xdg-open"))
            // Connecting asks the network.
            for line in lines where Self.onScreen[line] == nil && !line.hasPrefix("userctl connect") {
                let result = try await manager.run("/bin/bash", ["-c", "cd && set -o pipefail && " + line])
                #expect(result.code == 0, "\(line): \(result.errors)\(result.output)")
                if line.hasPrefix("userctl service enable") { try await manager.userctl("wait") }
            }
            let opened = try Data(contentsOf: URL(filePath: manager.machine.file("home/opened")))
            #expect(String(decoding: opened, as: UTF8.self).hasPrefix("tel:"))
            for name in ["users.csv", "peoria.vcf", "picture.png"] {
                let file = try Data(contentsOf: URL(filePath: manager.machine.file("home/\(name)")))
                #expect(file.count > 500, "\(name)")
            }
        }
        try await onMachine(users: 20) { machine in
            try await machine.startUserd(["users.query": "nat=us&seed=999"])
            #expect(try await machine.userctl(["wait", "--timeout", "60s"]).code == 0)
            try await TerminalWindow.open(on: machine) { window in
                for (line, expected) in Self.onScreen {
                    #expect(lines.contains(line), "not in the README any more: \(line)")
                    let program = "'\(Program.userctl.path)'" + line.dropFirst("userctl".count)
                    try await window.shell("clear; \(program); echo ended $?")
                    try await window.screen { $0.contains(expected.shown) }
                    for key in expected.keys { try await window.press(key) }
                    try await window.screen { $0.contains("$") }
                }
            }
        }
    }

    @Test("The protocol's shell example prints userd's replies")
    func shell() async throws {
        try await onExampleMachine { machine, _, examples in
            let script = try #require(examples("sh").first)
            let shell = try machine.start("/bin/sh", ["-euc", script])
            // The reply to the watch, which continues.
            try await shell.line(containing: #""continues":true"#, in: .output)
            let replies = shell.text(.output).split(separator: "\n")
            #expect(replies.count >= 4)
            #expect(replies.allSatisfy { $0.hasPrefix("{") && !$0.contains(#""error""#) }, "\(replies)")
            #expect(replies[1].contains("eddie.bradley@example.com"))
            #expect(shell.text(.errors) == "")
        }
    }

    @Test("The protocol's Python examples list users, and watch them across a kill of userd")
    func python() async throws {
        try await onExampleMachine { machine, userd, examples in
            let programs = examples("python")
            try #require(programs.count == 2)
            let list = try await machine.runPython(["-c", programs[0]])
            #expect(list.code == 0 && list.errors == "", "\(list.errors)")
            #expect(list.output.contains("eddie.bradley@example.com\n"))
            #expect(list.output.contains("io.userd.NotFound {'key': 'nobody'}"))

            let watch = try machine.startPython(["-c", programs[1]])
            try await watch.line(containing: "users loaded", in: .output)
            userd.send(SIGKILL)
            try await userd.ended()
            try await machine.startUserd(exampleSettings)
            let state = try await machine.sync(.users)
            try await watch.line(containing: "\(state.index) users loaded", in: .output)
            let numbers = watch.text(.output).split(separator: "\n").compactMap {
                Int($0.split(separator: " ")[0])
            }
            #expect(Set(numbers).count == numbers.count, "each transition once")
        }
    }

    @Test("The protocol's Python watcher loses no resource if the connection ends between the first states")
    func pythonCutOff() async throws {
        let proxy = """
            import itertools, os, socket, socketserver, sys, threading
            front, back = sys.argv[1:]
            watches = itertools.count(1)
            def messages(peer):
                pending = b''
                while chunk := peer.recv(65536):
                    *whole, pending = (pending + chunk).split(b'\\0')
                    yield from whole
            class Handler(socketserver.BaseRequestHandler):
                def handle(self):
                    userd = socket.socket(socket.AF_UNIX)
                    userd.connect(back)
                    replies = messages(userd)
                    for call in messages(self.request):
                        watch = next(watches) if b'.Watch' in call else 0
                        if watch: print(watch, call.decode(), flush=True)
                        userd.sendall(call + b'\\0')
                        for reply in replies:
                            self.request.sendall(reply + b'\\0')
                            if watch == 1: return
                            if b'"continues":true' not in reply: break
            class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer): daemon_threads = True
            with Server(front, Handler) as server:
                print('listens', flush=True)
                server.serve_forever()
            """
        try await onExampleMachine { machine, _, examples in
            let front = machine.file("cut")
            try FileManager.default.createDirectory(
                atPath: front + "/userd", withIntermediateDirectories: true)
            let server = try machine.startPython(
                ["-c", proxy, front + "/userd/userd.sock", machine.socket])
            try await server.line(containing: "listens", in: .output)
            let watch = try machine.start(
                VarlinkClients.python, ["-c", examples("python")[1]],
                environment: ["XDG_RUNTIME_DIR": front, "PYTHONUNBUFFERED": "1"])
            let second = try await server.line(containing: "2 {", in: .output)
            #expect(!second.contains("since"), "the other resource's state would be lost")
            for resource in ["users loaded", "facts initial"] {
                try await watch.line(containing: resource, in: .output)
            }
        }
    }

    @Test("The protocol's Go example lists users")
    func go() async throws {
        try await onExampleMachine { machine, _, examples in
            let source = machine.file("main.go")
            try #require(examples("go").first).write(toFile: source, atomically: true, encoding: .utf8)
            let result = try await run(
                "/usr/bin/go", ["run", source],
                environment: machine.environment.merging(
                    ["GOFLAGS": "-mod=mod", "GO111MODULE": "off", "CGO_ENABLED": "0"]) { $1 })
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.outputLines.count == 20)
            #expect(result.outputLines.contains("Eddie Bradley <eddie.bradley@example.com>"))
        }
    }
}

private let exampleSettings = ["paused": "true", "users.query": "nat=us&seed=999"]

/// Runs a test with cached users and the protocol's examples by language.
private func onExampleMachine(
    _ body: @Sendable (Machine, _ userd: ChildProcess, (_ language: String) -> [String]) async throws -> Void
) async throws {
    let protocolArticle = try Document("Sources/Daemon/userd/userd.docc/Protocol.md")
    try await onMachine(users: 20) { machine in
        let userd = try await machine.startUserd(exampleSettings)
        #expect(try await machine.sync(.users).count == 20)
        try await body(machine, userd) { protocolArticle.blocks($0) }
    }
}

/// A Markdown file of the repository.
struct Document {
    private let text: String

    init(_ path: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The code blocks of a language; "" for blocks without one.
    func blocks(_ language: String) -> [String] {
        var blocks: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let lines = block {
                    if lines[0] == "```" + language {
                        blocks.append(lines.dropFirst().joined(separator: "\n"))
                    }
                    block = nil
                } else {
                    block = [line]
                }
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    /// The lines of the blocks without a language, without their comments.
    func commands(_ isWanted: (String) -> Bool) -> [String] {
        blocks("").flatMap { $0.split(separator: "\n").map(String.init) }.map { line in
            let end = line.range(of: "  +#", options: .regularExpression)?.lowerBound ?? line.endIndex
            return line[..<end].trimmingCharacters(in: .whitespaces)
        }.filter(isWanted)
    }
}
