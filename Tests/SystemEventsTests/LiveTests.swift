import Glibc
import SyncCore
import Synchronization
import SystemEvents
import TestSupport
import Testing

@Suite(.timeLimit(.hang)) struct LiveTests {
    @Test("In a network of its own, an interface, an address or a route that comes is one event")
    func network() async throws {
        try await inNetworkNamespace { network in
            let (executable, arguments) = network.command(Program.wakeupsProbe.path, [])
            let probe = try ChildProcess(executable, arguments, environment: [:])
            defer { probe.send(SIGKILL) }
            var lines = Lines(process: probe)
            try await lines.wait(for: "watching")
            // With it come 127.0.0.1, ::1 and their routes.
            try await network.ip("link", "set", "lo", "up")
            try await lines.wait(for: "networkChanged")
            try await network.ip("link", "set", "lo", "down")
            try await network.ip("address", "add", "192.0.2.1/24", "dev", "lo")
            try await lines.wait(for: "networkChanged")
            try await network.ip("link", "set", "lo", "up")
            try await lines.wait(for: "networkChanged")
            try await network.ip("route", "add", "198.51.100.0/24", "via", "192.0.2.2")
            try await lines.wait(for: "networkChanged")
            #expect(
                probe.text(.output)
                    == "watching\n" + String(repeating: "networkChanged\n", count: 4))
        }
    }

    @Test("Begun and ended many times, nothing stays open")
    func descriptors() async throws {
        let result = try await run(Program.wakeupsProbe.path, ["restarts", "200"], environment: [:])
        #expect(result.code == 0, "\(result.errors)")
        let counts = result.output.split { $0.isWhitespace }.compactMap { Int($0) }
        // Two hundred would leave two hundred; the system's libraries open one or the other for themselves.
        #expect(counts.count == 2 && counts[1] < counts[0] + 10, "\(result.output)")
    }

    @Test("What the system refuses is named, and the rest works without it")
    func refused() async throws {
        let probe = try ChildProcess(Program.wakeupsProbe.path, ["descriptors", "3"], environment: [:])
        defer { probe.send(SIGKILL) }
        try await probe.line(containing: "watching", in: .output)
        #expect(
            probe.text(.output) == """
                without("network events: Too many open files")
                without("clock events, except by polling: Too many open files")
                watching

                """)
        #expect(!probe.hasEnded)
    }

    @Test("Clocks are compared again and again, also where nothing tells of them")
    func clocks() async throws {
        let readings = Mutex(0)
        // A second goes by from one reading to the next; before the fourth the machine sleeps, before the eighth it is set.
        let wakeups = WakeupSource.events(
            clocks: {
                let count = readings.withLock {
                    $0 += 1
                    return $0
                }
                let slept = Duration.seconds(count >= 4 ? 3600 : 0)
                let boot = Duration.seconds(count) + slept
                return ClockReading(
                    monotonic: .seconds(count), boot: boot, real: boot + .seconds(count >= 8 ? -3600 : 0))
            }, interval: .milliseconds(1), report: { _ in })
        var events: [Wakeup] = []
        for await wakeup in wakeups where wakeup != .networkChanged {
            events.append(wakeup)
            if events.count == 2 { break }
        }
        #expect(events == [.resumed, .clockJumped])
    }

    @Test("It says that it has ended when nobody listens any more")
    func end() async throws {
        let reports = Channel<WakeupSource.Report>()
        let events = WakeupSource.events { reports.send($0) }
        let listener = Task { for await _ in events {} }
        listener.cancel()
        #expect(try await reports.receive() == .ended)
        await listener.value
    }
}

/// What a program prints, line by line.
private struct Lines {
    let process: ChildProcess
    private var offset = 0

    init(process: ChildProcess) { self.process = process }

    mutating func wait(for line: String) async throws {
        offset += try await process.line(containing: line, in: .output, from: offset).utf8.count + 1
    }
}
