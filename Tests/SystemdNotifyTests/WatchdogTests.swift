import Glibc
import Synchronization
import SystemdNotify
import TestSupport
import Testing

@Suite("The watchdog", .timeLimit(.minutes(1)))
struct WatchdogTests {
    private struct Refused: Error {}

    /// A watchdog of ten seconds, and two parts that answer when the test says so.
    private final class Kennel: Sendable {
        let clock = VirtualClock()
        let asked = [Channel<Void>(), Channel<Void>()]
        let answers = [Channel<Result<Void, any Error>>(), Channel<Result<Void, any Error>>()]
        let pets = Channel<Void>()
        let failures = Channel<Void>()
        private let count = Atomic(0)

        var petCount: Int { count.load(ordering: .sequentiallyConsistent) }

        func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
            let watchdog = Task {
                await Watchdog(limit: .seconds(10)).run(
                    asking: [0, 1].map { part in
                        { [self] in
                            asked[part].send(())
                            try await answers[part].receive().get()
                        }
                    }, sleep: clock.sleep, failed: { [self] _ in failures.send(()) },
                    pet: { [self] in
                        count.add(1, ordering: .sequentiallyConsistent)
                        pets.send(())
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

    @Test("It is petted at once and then every half of its time, after all parts have answered")
    func halves() async throws {
        let kennel = Kennel()
        try await kennel.run {
            for round in 1...3 {
                #expect(try await kennel.clock.sleeps.receive() == .seconds(5))
                try await kennel.bothAreAsked()
                kennel.bothAnswer()
                try await kennel.pets.receive()
                #expect(kennel.petCount == round)
                kennel.clock.advance(by: .seconds(5))
            }
        }
    }

    @Test(
        "A part that does not answer keeps it from being petted, and when it does at last it is",
        arguments: [0, 1])
    func hang(part: Int) async throws {
        let kennel = Kennel()
        try await kennel.run {
            try await kennel.bothAreAsked()
            kennel.answers[1 - part].send(.success(()))
            #expect(try await kennel.clock.sleeps.receive() == .seconds(5))
            kennel.clock.advance(by: .seconds(600))
            #expect(kennel.petCount == 0)
            kennel.answers[part].send(.success(()))
            try await kennel.pets.receive()
            // At once, since the interval has passed; a part is never asked twice at a time.
            try await kennel.bothAreAsked()
            #expect(kennel.petCount == 1)
        }
    }

    @Test(
        "A part that answers with an error keeps it from being petted, until it answers again",
        arguments: [0, 1])
    func error(part: Int) async throws {
        let kennel = Kennel()
        try await kennel.run {
            try await kennel.bothAreAsked()
            kennel.answers[part].send(.failure(Refused()))
            kennel.answers[1 - part].send(.success(()))
            try await kennel.failures.receive()
            #expect(try await kennel.clock.sleeps.receive() == .seconds(5))
            kennel.clock.advance(by: .seconds(5))
            try await kennel.bothAreAsked()
            #expect(kennel.petCount == 0)
            kennel.bothAnswer()
            try await kennel.pets.receive()
        }
    }

    @Test("It is there where the manager says so, and says it to this process")
    func taken() {
        func limit(_ environment: [String: String]) -> Duration? {
            Watchdog.taken(from: environment, processID: 7)?.limit
        }
        #expect(limit(["WATCHDOG_USEC": "30000000"]) == .seconds(30))
        #expect(limit(["WATCHDOG_USEC": "1", "WATCHDOG_PID": "7"]) == .microseconds(1))
        #expect(limit(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(limit(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "seven"]) == nil)
        // The last one is systemd's infinity.
        for text in ["", "0", "-1", "soon", "18446744073709551615"] {
            #expect(limit(["WATCHDOG_USEC": text]) == nil)
        }
        #expect(limit(["WATCHDOG_PID": "7"]) == nil)
    }
}
