import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite(.timeLimit(.hang)) struct LiveTests {
    @Test("In a network namespace, a new interface, address or route is one event")
    func network() async throws {
        try await inNetworkNamespace { network in
            let (executable, arguments) = network.command(Program.wakeupsProbe.path, [])
            let probe = try ChildProcess(executable, arguments, environment: [:])
            defer { probe.send(SIGKILL) }
            var lines = Lines(process: probe)
            try await lines.wait(for: "watching")
            // This also adds 127.0.0.1, ::1 and their routes.
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

    @Test("Starting and ending the source many times leaves no descriptor open")
    func descriptors() async throws {
        let result = try await run(Program.wakeupsProbe.path, ["restarts", "200"], environment: [:])
        #expect(result.code == 0, "\(result.errors)")
        let counts = result.output.split { $0.isWhitespace }.compactMap { Int($0) }
        // A leak would leave two hundred. The system's libraries may open a few for themselves.
        #expect(counts.count == 2 && counts[1] < counts[0] + 10, "\(result.output)")
    }

    @Test("An event source that the system refuses is reported, and the rest works without it")
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

    @Test("Clocks are compared at each interval, also without kernel events")
    func clocks() async throws {
        let readings = Mutex(0)
        // Readings are a second apart. The machine sleeps before the fourth, and the clock is set before the
        // eighth.
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

    @Test("The source reports its end when the consumer is gone")
    func end() async throws {
        let reports = Channel<WakeupSource.Report>()
        let events = WakeupSource.events { reports.send($0) }
        let listener = Task { for await _ in events {} }
        listener.cancel()
        #expect(try await reports.receive() == .ended)
        await listener.value
    }
}

/// Waits for lines of a program's output, in order.
private struct Lines {
    let process: ChildProcess
    private var offset = 0

    init(process: ChildProcess) { self.process = process }

    mutating func wait(for line: String) async throws {
        offset += try await process.line(containing: line, in: .output, from: offset).utf8.count + 1
    }
}
