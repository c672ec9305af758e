import CSQLite

extension Connection {
    /// Once the time is up, running statements of the body throw an error that `isInterrupted`, and so do
    /// later ones that are not short. Can't stop a single long instruction.
    package func limited<T>(to limit: Duration, _ body: () throws -> T) rethrows -> T {
        let end = SuspendingClock.now + limit
        return try ticking(every: 1000, { SuspendingClock.now < end }, body)
    }

    /// Calls `tick` after so many of SQLite's instructions, again and again while statements of the body run. Interrupts the
    /// running one when the tick returns false.
    func ticking<T>(
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
