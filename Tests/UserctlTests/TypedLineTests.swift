import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import UserctlCommands

@Suite("A line that is pasted", .timeLimit(.hang))
struct TypedLineTests {
    /// Types at a terminal once it shows the question.
    private func typing(_ text: [UInt8], isShown: Bool = false) async throws -> (line: String?, shown: String)
    {
        var (main, terminal) = (Int32(-1), Int32(-1))
        try #require(openpty(&main, &terminal, nil, nil, nil) == 0)
        let (master, slave) = (main, terminal)
        defer { for descriptor in [master, slave] { close(descriptor) } }
        let shown = Mutex<[UInt8]>([])
        let output = Console.Output(send: { bytes in
            let isFirst = shown.withLock { all in
                defer { all += bytes }
                return all.isEmpty
            }
            guard isFirst else { return }
            Thread {
                var rest = text[...]
                while !rest.isEmpty {
                    rest = rest.dropFirst(
                        max(0, rest.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 1000)) }))
                }
            }.start()
        })
        let console = Console(
            environment: [:], clock: clock, sleep: { _ in }, output: output, errors: output)
        let line = try await onThread { console.typedLine("token: ", isShown: isShown, terminal: slave) }
        var modes = termios()
        tcgetattr(slave, &modes)
        #expect(modes.c_lflag & tcflag_t(ECHO) != 0 && modes.c_lflag & tcflag_t(ICANON) != 0)
        // Neither an echo nor the rest of a paste is left.
        var left = [
            pollfd(fd: master, events: Int16(POLLIN), revents: 0),
            pollfd(fd: slave, events: Int16(POLLIN), revents: 0),
        ]
        #expect(poll(&left, 2, 0) == 0)
        return (line, String(decoding: shown.withLock { $0 }, as: UTF8.self))
    }

    @Test(
        "It has up to 64 KiB, is not shown, and what follows it in a paste is dropped",
        arguments: [
            (String(repeating: "x", count: 10_000) + "\r", String(repeating: "x", count: 10_000)),
            ("secret\ry\ry\r", "secret"), ("wrong\u{15}righx\u{7F}t\n", "right"), ("\u{4}", nil),
        ] as [(String, String?)])
    func lines(typed: String, line: String?) async throws {
        let found = try await typing(Array(typed.utf8))
        #expect(found.line == line)
        #expect(found.shown == (line == nil ? "token: " : "token: \n"))
    }

    @Test("An address that is pasted is shown, and is not cut")
    func address() async throws {
        let address = "http://127.0.0.1/?code=" + String(repeating: "c", count: 5000)
        let found = try await typing(Array((address + "ab\u{7F}\r").utf8), isShown: true)
        #expect(found.line == address + "a")
        #expect(found.shown == "token: \(address)ab\u{8} \u{8}\n")
    }
}
