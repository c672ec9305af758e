import CSQLite

extension Connection {
    /// Calls `tick` repeatedly while statements of the body run, each time after a number of SQLite's instructions.
    package func ticking<T>(
        every instructions: Int32 = 1_000_000, _ tick: () -> Void, _ body: () throws -> T
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
                    if let ticker { Unmanaged<Ticker>.fromOpaque(ticker).takeUnretainedValue().tick() }
                    return 0
                }, Unmanaged.passUnretained(ticker).toOpaque())
            return try body()
        }
    }
}

private final class Ticker {
    let tick: () -> Void

    init(_ tick: @escaping () -> Void) { self.tick = tick }
}
