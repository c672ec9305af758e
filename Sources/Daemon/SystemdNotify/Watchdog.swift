import Glibc

/// A manager's watchdog (sd_watchdog_enabled(3)): it ends a service that it has not heard of for so long.
package struct Watchdog: Hashable, Sendable {
    package let limit: Duration

    package init(limit: Duration) { self.limit = limit }

    /// Takes what the manager asks for out of this process's environment; nil where it asks for nothing, or asks another
    /// process.
    package static func taken(from environment: [String: String], processID: pid_t = getpid()) -> Watchdog? {
        for name in ["WATCHDOG_USEC", "WATCHDOG_PID"] { unsetenv(name) }
        guard let limit = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), limit > 0 else { return nil }
        if let addressee = environment["WATCHDOG_PID"], pid_t(addressee) != processID { return nil }
        return Watchdog(limit: .microseconds(limit))
    }

    /// Asks all parts at once, and pets the watchdog when each has answered: twice in the time that it allows, until the task
    /// is cancelled. A part that never answers lets it bite, and so does one that answers only with errors: without its
    /// parts a service is of no more use than one that hangs.
    ///
    /// - Parameters:
    ///   - failed: called with what a part has thrown.
    package func run(
        asking parts: [@Sendable () async throws -> Void],
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        failed: @escaping @Sendable (any Error) -> Void, pet: () -> Void
    ) async {
        while !Task.isCancelled {
            async let pause: Void = sleep(limit / 2)
            if await answer(parts, failed), !Task.isCancelled { pet() }
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
