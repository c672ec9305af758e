import SQLite
import TestSupport
import Testing

/// The cache and the engine on a disk with one failing call, for each call.
@Suite(.timeLimit(.minutes(30))) struct DiskFaultTests {
    @Test("A run always makes the same calls to the disk")
    func script() throws {
        let runs = try (0..<2).map { _ in try calls() }
        #expect(runs[0] == runs[1])
        #expect(runs[0].count > 300 && runs[0].count < 1000)
    }

    @Test(
        "If any call to the disk fails, nothing published is lost, rows are old or new, and userd recovers",
        arguments: DiskFault.allCases)
    func each(_ fault: DiskFault) throws {
        let calls = try calls()
        var numbers = calls.indices.filter { fault.applies(to: calls[$0]) }
        if let at = FaultSetting.at {
            numbers = numbers.filter { $0 == at - 1 }
        } else {
            numbers = numbers.enumerated().filter { $0.offset % Volume.faultStride == 0 }.map(\.element)
        }
        var failed = 0
        for number in numbers {
            do {
                try ScriptedRun(fault, at: number + 1, seed: FaultSetting.seed).run()
            } catch {
                failed += 1
                Issue.record(
                    """
                    \(fault.rawValue) at call \(number + 1), a \(calls[number]): \(error)
                    Repeat it with: make faults ONLY=DiskFaultTests SEED=\(FaultSetting.seed) AT=\(number + 1)
                    """)
            }
        }
        print("FAULT|\(fault.rawValue) at a call to the disk|\(numbers.count)|\(failed) failed")
    }

    @Test(
        "The token of what changed is written with the rows that it belongs to, or neither is",
        arguments: [DiskFault.kill, .powerCut, .ioError])
    func token(_ fault: DiskFault) throws {
        let run = try ScriptedRun(seed: FaultSetting.seed, saysChanges: true)
        try run.run()
        let numbers = run.disk.calls.indices.filter { fault.applies(to: run.disk.calls[$0]) }
        // These runs have twice as many syncs as the others.
        let stride = Volume.faultStride == 1 ? 1 : Volume.faultStride * 4
        let chosen = numbers.enumerated().filter { $0.offset % stride == 0 }.map(\.element)
        for number in FaultSetting.at.map({ [$0 - 1] }) ?? chosen {
            #expect(throws: Never.self, "\(fault.rawValue) at call \(number + 1)") {
                try ScriptedRun(fault, at: number + 1, seed: FaultSetting.seed, saysChanges: true).run()
            }
        }
        print("FAULT|\(fault.rawValue) at a call, with what changed|\(chosen.count)|")
    }

    @Test("The test would notice a commit that is published before it is synced to disk")
    func unsynced() throws {
        let calls = try calls()
        var violation: String?
        for at in stride(from: 1, through: calls.count, by: 3) where violation == nil {
            do {
                try ScriptedRun(.powerCut, at: at, seed: FaultSetting.seed) {
                    try $0.execute("PRAGMA synchronous = NORMAL")
                }.run()
            } catch {
                violation = "\(error)"
            }
        }
        #expect(violation?.contains("is lost") == true, "\(violation ?? "nothing")")
    }

    private func calls() throws -> [String] {
        let run = try ScriptedRun(seed: FaultSetting.seed)
        try run.run()
        return run.disk.calls
    }
}
