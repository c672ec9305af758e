import SyncCore

/// Reports that the network is back, the machine resumed from suspend, or its clock was set.
package struct WakeupSource: Sendable {
    /// Events from now on, each kind at most once a second. Ends with the consumer; finishes at once if the source
    /// cannot start.
    package var events: @Sendable () -> AsyncStream<Wakeup>

    package init(events: @escaping @Sendable () -> AsyncStream<Wakeup>) { self.events = events }
}

extension WakeupSource {
    /// Status reports of a live source.
    package enum Report: Hashable, Sendable {
        /// What is unavailable and why, for people.
        case without(String)
        /// The source has stopped and closed its descriptors.
        case ended
    }

    /// Kernel events, received on a separate thread.
    /// - Parameters:
    ///   - clocks: reads the clocks.
    ///   - interval: how often the clocks are compared, because not every kernel reports a resume.
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
