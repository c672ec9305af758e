import Glibc
import Synchronization
import Threads

/// Maps runs of a list at the same time, on at most as many processors as there are runs.
/// - Parameters:
///   - least: elements of a run. A list of few is one run, on the caller's thread.
///   - work: called with the elements of each run, on any thread.
/// - Returns: in the order of the runs.
package func inParallelRuns<Result>(
    of count: Int, least: Int, _ work: @escaping @Sendable (Range<Int>) -> Result
) -> [Result] {
    let runs = min(mostRuns, count / least)
    guard runs > 1 else { return [work(0..<count)] }
    return [Result](unsafeUninitializedCapacity: runs) { results, initialized in
        // Each run writes its own.
        nonisolated(unsafe) let results = results
        let turns = Turns(runs)
        let takeTurns = { @Sendable in
            while let run = turns.next() {
                let result = work(count * run / runs..<count * (run + 1) / runs)
                results.initializeElement(at: run, to: result)
            }
        }
        let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let helpers = (0..<min(runs, processors) - 1).count { _ in
            startThread("parallel runs") {
                takeTurns()
                turns.ended.signal()
            } == 0
        }
        takeTurns()
        for _ in 0..<helpers { turns.ended.wait() }
        initialized = runs
    }
}

/// More than two, so that a processor with other work does less.
private let mostRuns = 4

private final class Turns: Sendable {
    private let count: Int
    private let taken = Atomic(0)
    /// Signalled by each thread that finds no further turn.
    let ended = Semaphore()

    init(_ count: Int) { self.count = count }

    func next() -> Int? {
        let turn = taken.add(1, ordering: .relaxed).oldValue
        return turn < count ? turn : nil
    }
}
