import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Pausing", .timeLimit(.hang))
struct PauseTests {
    @Test("A pause survives a kill: userd makes no automatic requests until a sync or resume is requested")
    func kept() async throws {
        try await onMachine { machine in
            // A sync that a kill interrupts is due at once.
            try await machine.upstream.setFaults([Fault(.stall)])
            var arrivals = machine.upstream.arrivals().makeAsyncIterator()
            var userd = try await machine.startUserd()
            while let arrival = await arrivals.next(), arrival.path != "/api" {}
            let pause = try await machine.userctl(["pause"])
            #expect(pause.code == 0)
            #expect(pause.output == "")
            #expect(pause.errors == "userctl: paused: no automatic syncs until `userctl resume`\n")
            userd.send(SIGKILL)
            #expect(try await userd.ended() == .signalled(SIGKILL))
            try await machine.upstream.setFaults([])
            machine.upstream.forgetRequests()

            userd = try await machine.startUserd()
            #expect(try await machine.isPaused)
            #expect(try await machine.userctl(["status"]).output.contains("paused: `userctl resume`"))
            // userd listens before it records the interruption.
            try await wait { try await machine.state(of: .users).phase == .initial }
            let users = try await machine.state(of: .users)
            #expect(users.cause == .interrupted && users.nextSyncAt == nil, "\(users)")
            let sync = try await machine.userctl(["sync", "facts", "--wait"])
            #expect(sync.code == 0)
            #expect(try await machine.state(of: .facts).phase == .loaded)
            #expect(try await machine.state(of: .facts).nextSyncAt == nil)
            #expect(machine.upstream.requests(for: "/api") == 0)

            let watch = try machine.start(.userctl, ["watch", "users"])
            try await watch.line(containing: "initial", in: .output)
            #expect(try await machine.userctl(["resume"]).code == 0)
            try await watch.line(containing: "loaded", in: .output)
            #expect(try await !machine.isPaused)
            #expect(try await machine.state(of: .users).nextSyncAt != nil)
            #expect(try await machine.userctl(["resume"]).code == 0)

            // The last request still counts after a restart; a setting that has changed since takes its
            // place.
            userd.send(SIGKILL)
            try await userd.ended()
            userd = try await machine.startUserd()
            #expect(try await !machine.isPaused)
            userd.send(SIGKILL)
            try await userd.ended()
            try await machine.startUserd(["paused": "true"])
            #expect(try await machine.isPaused)
        }
    }

    @Test(
        "A requested pause outlasts a restart and SIGHUP until the setting paused itself changes"
    )
    func setting() async throws {
        try await onMachine { machine in
            try machine.writeConfiguration("paused: true\n")
            var userd = try await machine.startUserd()
            #expect(try await machine.isPaused)
            _ = try await machine.call(.setPaused, SetPaused(paused: false))
            userd.send(SIGKILL)
            try await userd.ended()
            userd = try await machine.startUserd()
            #expect(try await !machine.isPaused)
            try await userd.reload("Settings read again")
            #expect(try await !machine.isPaused)
            try machine.writeConfiguration("paused: false\n")
            try await userd.reload("Settings read again")
            #expect(try await !machine.isPaused)
            try machine.writeConfiguration("paused: true\n")
            try await userd.reload("Settings read again")
            #expect(try await machine.isPaused)
        }
    }
}

extension Machine {
    fileprivate var isPaused: Bool {
        get async throws { try await call(.getState, NoParameters()).paused }
    }
}
