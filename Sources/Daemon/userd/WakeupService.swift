import Logging
import ServiceLifecycle
import SyncEngine
import SystemEvents

/// Passes on to the engine what the kernel says.
struct WakeupService: Service {
    let source: WakeupSource
    let engine: SyncEngine
    let logger: Logger

    init(engine: SyncEngine, logger: Logger) {
        self.engine = engine
        self.logger = logger
        source = .live { report in
            switch report {
            case .without(let what):
                logger.warning("Some wakeups will not be heard of", metadata: ["without": "\(what)"])
            case .ended: logger.debug("No more wakeups are heard of")
            }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await wakeup in source.events() {
                logger.debug("Woken", metadata: ["by": "\(wakeup)"])
                engine.wake(wakeup)
            }
        }
        // Where nothing can be heard of, userd goes on without.
        try? await gracefulShutdown()
    }
}
