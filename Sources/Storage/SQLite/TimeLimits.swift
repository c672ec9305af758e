import CSQLite

extension Connection {
    /// Calls `tick` repeatedly while statements of the body run, each time after a million of SQLite's instructions.
    func ticking<T>(_ tick: () -> Void, _ body: () throws -> T) rethrows -> T {
        let goOn = {
            tick()
            return true
        }
        return try ticking(every: 1_000_000, goOn, body)
    }

    /// Statements of the body that run when time is up throw an error that `isInterrupted`, and so do those that start
    /// later, unless they are short. Can't end one instruction that takes long.
    package func limited<T>(to limit: Duration, _ body: () throws -> T) rethrows -> T {
        let end = SuspendingClock.now + limit
        return try ticking(every: 1000, { SuspendingClock.now < end }, body)
    }

    /// Interrupts the running statement when the tick returns false.
    private func ticking<T>(
        every instructions: Int32, _ tick: () -> Bool, _ body: () throws -> T
    ) rethrows -> T {
        try withoutActuallyEscaping(tick) { tick in
            let ticker = Ticker(tick)
            defer {
                // The body may have closed the connection.
                if handle != nil {
                    withExtendedLifetime(ticker) { sqlite3_progress_handler(handle, 0, nil, nil) }
                }
            }
            sqlite3_progress_handler(
                handle, instructions,
                { ticker in
                    guard let ticker else { return 0 }
                    return Unmanaged<Ticker>.fromOpaque(ticker).takeUnretainedValue().tick() ? 0 : 1
                }, Unmanaged.passUnretained(ticker).toOpaque())
            return try body()
        }
    }
}

private final class Ticker {
    let tick: () -> Bool

    init(_ tick: @escaping () -> Bool) { self.tick = tick }
}
