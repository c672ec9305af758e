import Glibc

/// A manager's watchdog (sd_watchdog_enabled(3)): it kills a service that sends no ping within the limit.
struct Watchdog: Hashable, Sendable {
    let limit: Duration

    /// Reads and unsets WATCHDOG_USEC and WATCHDOG_PID; nil if they are not set or name another process.
    static func taken(from environment: [String: String], processID: pid_t = getpid()) -> Watchdog? {
        for name in ["WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 0 else { return nil }
        if let addressee = environment["WATCHDOG_PID"], pid_t(addressee) != processID { return nil }
        return Watchdog(limit: .microseconds(limit))
    }

    /// Twice per limit, until the task is cancelled, asks all parts concurrently and sends a ping if each has
    /// answered. A part that hangs or throws skips the ping, so that the manager restarts the service.
    ///
    /// - Parameter failed: called with each error that a part throws.
    func run(
        asking parts: [@Sendable () async throws -> Void],
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        failed: @escaping @Sendable (any Error) -> Void, ping: () -> Void
    ) async {
        while !Task.isCancelled {
            async let pause: Void = sleep(limit / 2)
            if await answer(parts, failed), !Task.isCancelled { ping() }
            do { try await pause } catch { return }
        }
    }

    private func answer(
        _ parts: [@Sendable () async throws -> Void], _ failed: @escaping @Sendable (any Error) -> Void
    ) async -> Bool {
        await withTaskGroup { group in
            for part in parts {
                group.addTask {
                    do {
                        try await part()
                        return true
                    } catch {
                        if !Task.isCancelled { failed(error) }
                        return false
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
    }
}
