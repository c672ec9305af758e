import CLinux
import Dispatch
import Glibc

/// Reports that the network is back, the machine resumed from suspend, or its clock was set: follows the kernel's event
/// sources, and compares the clocks, on a queue of its own.
package final class WakeupSource: @unchecked Sendable {
    package enum Report: Hashable, Sendable {
        /// An event source that is unavailable, and why; for people.
        case without(String)
        /// The source has stopped and closed its descriptors.
        case ended
    }

    // Sendable: mutable state is used only on the queue.
    private let queue = DispatchQueue(label: "kernel watch")
    private let clocks: @Sendable () -> ClockReading
    private let interval: Duration
    private let report: @Sendable (Report) -> Void
    private let events: AsyncStream<Wakeup>.Continuation
    private let timer: any DispatchSourceTimer
    /// The descriptors' sources, then the timer.
    private var sources: [any DispatchSourceProtocol] = []
    private var openSources = 0
    private var burst = Burst()
    private var last: ClockReading

    /// Events from now on, each kind at most once a second. Stops when the consumer does.
    /// - Parameter interval: how often the clocks are compared, because not every kernel reports a resume.
    package static func events(
        clocks: @escaping @Sendable () -> ClockReading = { .now() }, interval: Duration = .seconds(30),
        report: @escaping @Sendable (Report) -> Void
    ) -> AsyncStream<Wakeup> {
        let (stream, events) = AsyncStream.makeStream(of: Wakeup.self, bufferingPolicy: .bufferingNewest(16))
        let source = WakeupSource(events, clocks, interval, report)
        events.onTermination = { _ in source.end() }
        source.start()
        return stream
    }

    private init(
        _ events: AsyncStream<Wakeup>.Continuation, _ clocks: @escaping @Sendable () -> ClockReading,
        _ interval: Duration, _ report: @escaping @Sendable (Report) -> Void
    ) {
        (self.events, self.clocks, self.interval, self.report) = (events, clocks, interval, report)
        timer = DispatchSource.makeTimerSource(queue: queue)
        last = clocks()
    }

    private func start() {
        if let network = netlinkSocket() {
            follow(network) { self.listen(network) }
        } else {
            report(.without("network events: \(reason(errno))"))
        }
        if let clock = clockTimer() {
            follow(clock) {
                // A cancelled timer stays readable until it is read.
                var expirations: UInt64 = 0
                _ = read(clock, &expirations, MemoryLayout<UInt64>.size)
                self.look()
            }
        } else {
            report(.without("clock events, except by polling: \(reason(errno))"))
        }
        timer.setEventHandler { self.look() }
        timer.setCancelHandler { self.closed() }
        sources.append(timer)
        openSources = sources.count
        setTimer()
        for source in sources { source.activate() }
    }

    /// Idempotent.
    private func end() {
        queue.async { for source in self.sources { source.cancel() } }
    }

    private func follow(_ descriptor: Int32, _ handle: @escaping () -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler(handler: handle)
        source.setCancelHandler {
            close(descriptor)
            self.closed()
        }
        sources.append(source)
    }

    private func closed() {
        openSources -= 1
        if openSources == 0 { report(.ended) }
    }

    private func listen(_ socket: Int32) {
        switch netlinkNews(socket) {
        case .network: burst.add([.networkChanged], at: clocks().monotonic)
        case .nothing: return
        case .broken(let code):
            report(.without("network events: \(reason(code))"))
            // The network's source is the first: `start` adds it before all others.
            sources[0].cancel()
        }
        look()
    }

    private func look() {
        let now = clocks()
        burst.add(now.wakeups(since: last), at: now.monotonic)
        last = now
        for wakeup in burst.take(at: now.monotonic) { events.yield(wakeup) }
        setTimer()
    }

    private func setTimer() {
        let wait = min(interval, burst.remaining(at: last.monotonic) ?? interval)
        timer.schedule(deadline: .now() + wait / .seconds(1))
    }
}
