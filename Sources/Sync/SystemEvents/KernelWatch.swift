import CLinux
import Glibc
import SyncCore
import Synchronization
import Threads

/// A thread that polls the kernel's event sources.
final class KernelWatch: Sendable {
    private let clocks: @Sendable () -> ClockReading
    private let interval: Duration
    private let report: @Sendable (WakeupSource.Report) -> Void
    private let tell: @Sendable (Wakeup) -> Void
    private let network: Int32?
    private let timer: Int32?
    /// An eventfd that ends the thread; nil once it has ended.
    private let ending: Mutex<Int32?>

    /// Nil if no eventfd could be created.
    init?(
        clocks: @escaping @Sendable () -> ClockReading, interval: Duration,
        report: @escaping @Sendable (WakeupSource.Report) -> Void, tell: @escaping @Sendable (Wakeup) -> Void
    ) {
        let ending = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard ending >= 0 else {
            report(.without("all kernel events: \(reason(errno))"))
            return nil
        }
        self.ending = Mutex(ending)
        self.clocks = clocks
        self.interval = interval
        self.report = report
        self.tell = tell
        network = netlinkSocket()
        if network == nil { report(.without("network events: \(reason(errno))")) }
        timer = clockTimer()
        if timer == nil { report(.without("clock events, except by polling: \(reason(errno))")) }
    }

    /// Returns false, with everything closed, if the thread could not be created.
    func start() -> Bool {
        let code = startThread("kernel watch", run)
        guard code == 0 else {
            report(.without("all kernel events: \(reason(code))"))
            close()
            return false
        }
        return true
    }

    /// Ends the thread. Idempotent.
    func end() {
        ending.withLock { if let descriptor = $0 { _ = eventfd_write(descriptor, 1) } }
    }

    private func run() {
        var polled = Polled(ending: ending.withLock { $0 }, network: network, timer: timer)
        var burst = Burst()
        var last = clocks()
        while true {
            let waiting = burst.remaining(at: last.monotonic)
            // Further messages of a burst stay in the socket until the burst is reported.
            polled.network.events = waiting == nil ? Int16(POLLIN) : 0
            polled.wait(min(interval, waiting ?? interval))
            if polled.ending.revents != 0 { break }
            if polled.timer.revents != 0 { drain(polled.timer.fd) }
            let now = clocks()
            burst.add(now.wakeups(since: last), at: now.monotonic)
            last = now
            if polled.network.revents != 0 || burst.remaining(at: now.monotonic) == .zero {
                listen(&polled.network.fd, &burst, at: now.monotonic)
            }
            for wakeup in burst.take(at: now.monotonic) { tell(wakeup) }
        }
        close()
    }

    /// A broken socket is replaced by -1, which poll(2) ignores.
    private func listen(_ socket: inout Int32, _ burst: inout Burst, at now: Duration) {
        guard socket >= 0 else { return }
        switch netlinkNews(socket) {
        case .network: burst.add([.networkChanged], at: now)
        case .nothing: break
        case .broken(let code):
            report(.without("network events: \(reason(code))"))
            socket = -1
        }
    }

    /// A cancelled timer stays readable until it is read.
    private func drain(_ timer: Int32) {
        var expirations: UInt64 = 0
        _ = read(timer, &expirations, MemoryLayout<UInt64>.size)
    }

    private func close() {
        for descriptor in [network, timer].compactMap(\.self) { _ = Glibc.close(descriptor) }
        ending.withLock { if let descriptor = $0.take() { _ = Glibc.close(descriptor) } }
        report(.ended)
    }
}

private struct Polled {
    private var descriptors: [pollfd]

    init(ending: Int32?, network: Int32?, timer: Int32?) {
        descriptors = [ending, network, timer].map { pollfd(fd: $0 ?? -1, events: Int16(POLLIN), revents: 0) }
    }

    var ending: pollfd { descriptors[0] }
    var network: pollfd {
        get { descriptors[1] }
        set { descriptors[1] = newValue }
    }
    var timer: pollfd { descriptors[2] }

    mutating func wait(_ limit: Duration) {
        if poll(&descriptors, nfds_t(descriptors.count), limit.milliseconds) >= 0 { return }
        for index in descriptors.indices { descriptors[index].revents = 0 }
    }
}

extension Duration {
    /// For poll(2), rounded up.
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
