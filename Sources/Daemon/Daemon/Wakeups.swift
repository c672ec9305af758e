import Logging
import Sync

/// Passes the kernel's events on to the engine. userd also works without them.
func passOnWakeups(to engine: SyncEngine, _ logger: Logger) async {
    let events = WakeupSource.events { report in
        switch report {
        case .without(let what):
            logger.warning("Some system events are not available", metadata: ["without": "\(what)"])
        case .ended: logger.debug("System events have ended")
        }
    }
    for await wakeup in events {
        logger.debug("Woken", metadata: ["by": "\(wakeup)"])
        engine.wake(wakeup)
    }
}
