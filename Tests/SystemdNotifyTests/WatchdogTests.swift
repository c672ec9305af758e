import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Daemon

@Suite("The watchdog", .timeLimit(.hang))
struct WatchdogTests {
    private struct Refused: Error {}

    /// A watchdog of ten seconds, and two parts that answer when the test lets them.
    private final class Rig: Sendable {
        let clock = VirtualClock()
        let asked = [Channel<Void>(), Channel<Void>()]
        let answers = [Channel<Result<Void, any Error>>(), Channel<Result<Void, any Error>>()]
        let pings = Channel<Void>()
        let failures = Channel<Void>()
        private let count = Atomic(0)

        var pingCount: Int { count.load(ordering: .sequentiallyConsistent) }

        func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
            let watchdog = Task {
                await Watchdog(limit: .seconds(10)).run(
                    asking: [0, 1].map { part in
                        { [self] in
                            asked[part].send(())
                            try await answers[part].receive().get()
                        }
                    }, sleep: clock.sleep, failed: { [self] _ in failures.send(()) },
                    ping: { [self] in
                        count.add(1, ordering: .sequentiallyConsistent)
                        pings.send(())
                    })
            }
            defer { watchdog.cancel() }
            try await body()
        }

        func bothAreAsked() async throws {
            for part in asked { try await part.receive() }
        }

        func bothAnswer() {
            for part in answers { part.send(.success(())) }
        }
    }

    @Test("The watchdog is pinged at once and then twice per limit, after all parts have answered")
    func halves() async throws {
        let rig = Rig()
        try await rig.run {
            for round in 1...3 {
                #expect(try await rig.clock.sleeps.receive() == .seconds(5))
                try await rig.bothAreAsked()
                rig.bothAnswer()
                try await rig.pings.receive()
                #expect(rig.pingCount == round)
                rig.clock.advance(by: .seconds(5))
            }
        }
    }

    @Test(
        "A part that does not answer delays the watchdog's ping until it does",
        arguments: [0, 1])
    func hang(part: Int) async throws {
        let rig = Rig()
        try await rig.run {
            try await rig.bothAreAsked()
            rig.answers[1 - part].send(.success(()))
            #expect(try await rig.clock.sleeps.receive() == .seconds(5))
            rig.clock.advance(by: .seconds(600))
            #expect(rig.pingCount == 0)
            rig.answers[part].send(.success(()))
            try await rig.pings.receive()
            // At once, since the interval has passed; a part is never asked twice at the same time.
            try await rig.bothAreAsked()
            #expect(rig.pingCount == 1)
        }
    }

    @Test(
        "A part that fails prevents the watchdog's ping until it answers again",
        arguments: [0, 1])
    func error(part: Int) async throws {
        let rig = Rig()
        try await rig.run {
            try await rig.bothAreAsked()
            rig.answers[part].send(.failure(Refused()))
            rig.answers[1 - part].send(.success(()))
            try await rig.failures.receive()
            #expect(try await rig.clock.sleeps.receive() == .seconds(5))
            rig.clock.advance(by: .seconds(5))
            try await rig.bothAreAsked()
            #expect(rig.pingCount == 0)
            rig.bothAnswer()
            try await rig.pings.receive()
        }
    }

    @Test("The watchdog is on if the manager asks this process for it")
    func taken() {
        func limit(_ environment: [String: String]) -> Duration? {
            Watchdog.taken(from: environment, processID: 7)?.limit
        }
        #expect(limit(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(limit(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "7"]) == .microseconds(1))
        #expect(limit(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(limit(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "seven"]) == nil)
        // The last text is systemd's infinity.
        for text in ["", "0", "-1", "soon", "18446744073709551615"] {
            #expect(limit(["WATCHDOG_USEC": text]) == nil)
        }
        #expect(limit(["WATCHDOG_PID": "7"]) == nil)
    }
}
