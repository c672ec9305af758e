import CSQLite

extension Connection {
    /// Calls `tick` repeatedly while statements of the body run, each time after a million of SQLite's instructions.
    func ticking<T>(_ tick: () -> Void, _ body: () throws -> T) rethrows -> T {
        try withoutActuallyEscaping(tick) { tick in
            let ticker = Ticker(tick)
            defer {
                // The body may have closed the connection.
                if handle != nil {
                    withExtendedLifetime(ticker) { sqlite3_progress_handler(handle, 0, nil, nil) }
                }
            }
            sqlite3_progress_handler(
                handle, 1_000_000,
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
