import Foundation
import Model
import TestSupport
import Testing

@Suite("userd at rest", .timeLimit(.hang))
struct RestTests {
    @Test("An idle userd with an address book wakes up at most twice a second, and uses at most 64 MiB")
    func rests() async throws {
        try await onMachine { machine in
            try AddressBook.writePassword(AddressBook.password, on: machine)
            let userd = try await machine.startUserd(["carddav.port": "\(freePort())"])
            try await userd.line(containing: "Serving the address book")
            #expect(try await machine.sync(.users).count == 20)
            #expect(try await !machine.users().isEmpty)
            var last = (switches: try switches(of: userd), since: ContinuousClock.now)
            try await wait {
                guard .now - last.since >= .seconds(5) else { return false }
                let now = try switches(of: userd)
                let wakeups = now.reduce(0) { $0 + $1.value - (last.switches[$1.key] ?? 0) }
                last = (now, .now)
                return wakeups <= 10
            }
            let resident = try number("VmRSS", in: "/proc/\(userd.id)/status") ?? .max
            #expect(resident <= 64 << 10, "in KiB")
        }
    }

    /// How often each thread has gone to sleep.
    private func switches(of process: ChildProcess) throws -> [String: Int] {
        let folder = "/proc/\(process.id)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).reduce(into: [:]) {
            // The thread may have ended by now.
            $0[$1] = try? number("voluntary_ctxt_switches", in: "\(folder)/\($1)/status")
        }
    }

    /// A number of proc_pid_status(5).
    private func number(_ name: String, in file: String) throws -> Int? {
        let status = try String(contentsOfFile: file, encoding: .utf8)
        return status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            .flatMap { Int($0.filter(\.isNumber)) }
    }
}
