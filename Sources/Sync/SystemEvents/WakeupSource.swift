import SyncCore

/// Reports that the network is back, the machine resumed from suspend, or its clock was set.
package enum WakeupSource {
    package enum Report: Hashable, Sendable {
        /// What is unavailable and why, for people.
        case without(String)
        /// The source has stopped and closed its descriptors.
        case ended
    }

    /// Kernel events from now on, received on a separate thread, each kind at most once a second. Ends with the
    /// consumer; finishes at once if the source cannot start.
    /// - Parameter interval: how often the clocks are compared, because not every kernel reports a resume.
    package static func events(
        clocks: @escaping @Sendable () -> ClockReading = { .now() }, interval: Duration = .seconds(30),
        report: @escaping @Sendable (Report) -> Void
    ) -> AsyncStream<Wakeup> {
        let (events, continuation) = AsyncStream.makeStream(
            of: Wakeup.self, bufferingPolicy: .bufferingNewest(16))
        let watch = KernelWatch(
            clocks: clocks, interval: interval, report: report, tell: { continuation.yield($0) })
        if let watch { continuation.onTermination = { _ in watch.end() } }
        if watch?.start() != true { continuation.finish() }
        return events
    }
}
