import SyncCore

/// Where the engine learns that the network is back, that the machine has slept, or that its clock was set.
package struct WakeupSource: Sendable {
    /// What happens from now on, at most one of a kind a second. Watching ends with the stream's consumer; where it can't
    /// begin, the stream is over at once.
    package var events: @Sendable () -> AsyncStream<Wakeup>

    package init(events: @escaping @Sendable () -> AsyncStream<Wakeup>) { self.events = events }
}

extension WakeupSource {
    /// What a live source says of itself.
    package enum Report: Hashable, Sendable {
        /// What it has to do without, and why, for people.
        case without(String)
        /// It watches no more, and has closed all that it had open.
        case ended
    }

    /// The kernel's word, waited for on a thread of its own.
    /// - Parameters:
    ///   - clocks: What the clocks say.
    ///   - interval: How often clocks are compared where nothing asks for it: what tells of a resume does not on every
    ///     kernel.
    package static func live(
        clocks: @escaping @Sendable () -> ClockReading = { .now() }, interval: Duration = .seconds(30),
        report: @escaping @Sendable (Report) -> Void
    ) -> WakeupSource {
        WakeupSource {
            let (events, continuation) = AsyncStream.makeStream(
                of: Wakeup.self, bufferingPolicy: .bufferingNewest(16))
            let watch = KernelWatch(
                clocks: clocks, interval: interval, report: report, tell: { continuation.yield($0) })
            guard let watch else {
                continuation.finish()
                return events
            }
            continuation.onTermination = { _ in watch.end() }
            if !watch.start() { continuation.finish() }
            return events
        }
    }
}
