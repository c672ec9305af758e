import Dispatch

/// Maps runs of a list at the same time, on at most as many processors as there are runs.
/// - Parameters:
///   - least: elements of a run. A list of few is one run, on the caller's thread.
///   - work: called with the elements of each run, on any thread.
/// - Returns: in the order of the runs.
package func inParallelRuns<Result>(
    of count: Int, least: Int, _ work: @Sendable (Range<Int>) -> Result
) -> [Result] {
    let runs = min(mostRuns, count / least)
    guard runs > 1 else { return [work(0..<count)] }
    return [Result](unsafeUninitializedCapacity: runs) { results, initialized in
        // Each run writes its own.
        nonisolated(unsafe) let results = results
        DispatchQueue.concurrentPerform(iterations: runs) { run in
            let result = work(count * run / runs..<count * (run + 1) / runs)
            results.initializeElement(at: run, to: result)
        }
        initialized = runs
    }
}

/// More than two, so that a processor with other work does less.
private let mostRuns = 4
