/// Reports that the network is back, the machine resumed from suspend, or its clock was set.
package enum WakeupSource {
    package enum Report: Hashable, Sendable {
        /// An event source that is unavailable, and why; for people.
        case without(String)
        /// The source has stopped and closed its descriptors.
        case ended
    }

    /// Events from now on, each kind at most once a second. Stops when the consumer does.
    /// - Parameter interval: how often the clocks are compared, because not every kernel reports a resume.
    package static func events(
        clocks: @escaping @Sendable () -> ClockReading = { .now() }, interval: Duration = .seconds(30),
        report: @escaping @Sendable (Report) -> Void
    ) -> AsyncStream<Wakeup> {
        let (events, continuation) = AsyncStream.makeStream(
            of: Wakeup.self, bufferingPolicy: .bufferingNewest(16))
        let watch = KernelWatch(
            clocks: clocks, interval: interval, report: report, tell: { continuation.yield($0) })
        continuation.onTermination = { _ in watch.end() }
        watch.start()
        return events
    }
}
