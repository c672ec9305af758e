import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("A log that nobody reads", .timeLimit(.hang))
struct UnreadLogTests {
    /// A pipe with a name. userd's end never has a reader that reads, unless the test does.
    private func pipe(on machine: Machine) throws -> (path: String, descriptor: Int32) {
        let path = machine.file("log")
        try #require(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        return (path, descriptor)
    }

    private func fill(_ descriptor: Int32) {
        let rubbish = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while write(descriptor, rubbish, rubbish.count) > 0 {}
    }

    private func start(on machine: Machine, log path: String) throws -> ChildProcess {
        try machine.start(
            "/bin/sh", ["-c", #"exec "$0" "$@" 2>"$LOG""#, Program.userd.path] + machine.arguments(),
            environment: ["LOG": path])
    }

    /// Calls until userd answers.
    private func syncs(_ machine: Machine) async throws -> State {
        var state: State?
        try await wait {
            if access(machine.socket, F_OK) == 0 { state = try? await machine.sync(.users) }
            return state != nil
        }
        return try #require(state)
    }

    @Test("userd starts, syncs, answers and ends by TERM")
    func unread() async throws {
        try await onMachine(users: 20) { machine in
            let (path, descriptor) = try pipe(on: machine)
            defer { close(descriptor) }
            fill(descriptor)
            let userd = try start(on: machine, log: path)
            #expect(try await syncs(machine).count == 20)
            for _ in 0..<5 { #expect(try await machine.sync(.users).phase == .loaded) }
            #expect(try await machine.users().count == 20)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("Lines beyond the queue are counted, and the last ones are written to a reader that comes late")
    func late() async throws {
        try await onMachine(users: 20) { machine in
            let (path, descriptor) = try pipe(on: machine)
            defer { close(descriptor) }
            fill(descriptor)
            let userd = try start(on: machine, log: path)
            // These log more than the queue holds.
            while try await syncs(machine).index < 1500 {}
            let reading = Task.detached {
                var text: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while !Task.isCancelled {
                    var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    guard poll(&ready, 1, 20) > 0 else { continue }
                    let count = read(descriptor, &buffer, buffer.count)
                    if count > 0 { text += buffer[..<count] }
                }
                return String(decoding: text, as: UTF8.self)
            }
            #expect(try await machine.sync(.users).phase == .loaded)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            // What userd has written by then is in the pipe.
            try await wait {
                var count: Int32 = 0
                return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count == 0
            }
            reading.cancel()
            let text = await reading.value
            #expect(text.contains("lines of the log were dropped, because nobody read standard error"))
            #expect(text.contains(" Ended"))
        }
    }
}
