import TestSupport
import Testing

/// Flipped bits, random bytes and cuts in the cache's files.
@Suite(.timeLimit(.minutes(30))) struct DamageTests {
    @Test(
        "Damage is reported, harmless, or found by a check of the whole file, and nothing crashes",
        arguments: [false, true])
    func damage(isLive: Bool) throws {
        let directory = try TemporaryDirectory()
        let files = try DamagedRun.makeFiles(in: directory)
        let first = Int(FaultSetting.seed) * 10_000
        let numbers = FaultSetting.at.map { $0...$0 } ?? 1...Volume.damages / 2
        var outcomes: [DamagedRun.Outcome: Int] = [:]
        var failed = 0
        for number in numbers {
            let run = try DamagedRun(files, seed: UInt64(first + number))
            do {
                outcomes[isLive ? try run.underDaemon() : try run.atRest(), default: 0] += 1
            } catch {
                failed += 1
                Issue.record(
                    """
                    \(run.damage?.description ?? ""), \(isLive ? "live" : "at rest"): \(error)
                    Repeat it with: make faults ONLY=DamageTests SEED=\(FaultSetting.seed) AT=\(number)
                    """)
            }
        }
        let summary = DamagedRun.Outcome.allCases.map { "\(outcomes[$0] ?? 0) \($0.rawValue)" }
        print(
            "FAULT|damage \(isLive ? "while open" : "at rest")|\(numbers.count)",
            "\(summary.joined(separator: ", ")), \(failed) failed", separator: "|")
    }
}
