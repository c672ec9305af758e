import Logging
import ServiceLifecycle
import SyncEngine
import SystemEvents

/// Passes the kernel's events on to the engine.
struct WakeupService: Service, CustomStringConvertible {
    let engine: SyncEngine
    let logger: Logger
    let description = "wakeups"

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await wakeup in WakeupSource.events(report: logReport) {
                logger.debug("Woken", metadata: ["by": "\(wakeup)"])
                engine.wake(wakeup)
            }
        }
        // userd also works without these events.
        try? await gracefulShutdown()
    }

    @Sendable private func logReport(_ report: WakeupSource.Report) {
        switch report {
        case .without(let what):
            logger.warning("Some system events are not available", metadata: ["without": "\(what)"])
        case .ended: logger.debug("System events have ended")
        }
    }
}
