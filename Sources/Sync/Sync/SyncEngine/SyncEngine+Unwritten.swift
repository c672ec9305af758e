import Cache
import Logging
import Model

/// Transitions that can't be written, for example on a full disk.
extension SyncEngine {
    private static let repeatInterval = Duration.seconds(10)

    /// Shows the failure, and repeats the message until it succeeds.
    func keepUnwritten(_ message: Message, because failure: Failure) {
        let resource = message.resource
        later(message, after: Self.repeatInterval)
        let before = runners[resource]?.unwritten
        var failure = failure
        failure.attempts = (before?.failure.attempts ?? 0) + 1
        // Logged with the first attempt, the second, the fourth and so on, and when the reason changes.
        let isNews = failure.attempts.nonzeroBitCount == 1 || failure.message != before?.failure.message
        logger.log(
            level: isNews ? .error : .debug, "Can't write a transition",
            metadata: ["resource": "\(resource)", "reason": "\(failure.message)"])
        runners[resource]?.unwritten = Unwritten(
            failure: failure, since: before?.since ?? now, nextAttempt: now + Self.repeatInterval)
        ended(resource)
    }

    /// Repeats the message at once. Returns false if it still can't be written.
    func repeatUnwritten(_ resource: Resource) async -> Bool {
        guard let alarm = runners[resource]?.alarm else { return false }
        alarm.task.cancel()
        await handle(.alarm(resource, alarm.number))
        return runners[resource]?.unwritten == nil
    }

    /// Saves the interval that decides when lists and states are stale. If that fails, the previous one
    /// applies.
    func saveInterval(of plan: SyncPlan) async {
        let saved = runners[plan.resource]?.saved
        let interval = plan.schedule.following(saved?.changes).interval
        guard saved?.interval != interval else { return }
        do {
            try await cache.writer.saveInterval(plan.resource, interval)
            runners[plan.resource]?.saved.interval = interval
        } catch {
            logger.warning(
                "Can't save the interval",
                metadata: ["resource": "\(plan.resource)", "reason": "\(error)"])
        }
    }
}
