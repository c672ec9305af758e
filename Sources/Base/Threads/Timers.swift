import CLinux
import Glibc
import Synchronization

/// Does work later, on one thread, which the kernel wakes when work is due and not otherwise.
package final class Timers: Sendable {
    private struct Timer {
        var number: Int
        var due: Duration
        var work: @Sendable () -> Void
    }

    private struct Contents {
        /// The first at the end.
        var timers: [Timer] = []
        var lastNumber = 0
        var hasThread = false
    }

    package static let shared = Timers()

    private let contents = Mutex(Contents())
    /// A timerfd of the clock that goes on while the machine sleeps.
    private let alarm: Int32

    private init() {
        alarm = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC))
        precondition(alarm >= 0, "timerfd_create: \(String(cString: strerror(errno)))")
    }

    /// The clock of the timers.
    static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Returns a number to cancel the work with.
    /// - Parameter work: must be short.
    @discardableResult
    package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Int {
        contents.withLock { contents in
            contents.lastNumber += 1
            let timer = Timer(number: contents.lastNumber, due: Self.now + delay, work: work)
            let place = contents.timers.lastIndex { $0.due > timer.due }.map { $0 + 1 } ?? 0
            contents.timers.insert(timer, at: place)
            if place == contents.timers.count - 1 { wake(at: timer.due) }
            if !contents.hasThread { contents.hasThread = startThread("timers", run) == 0 }
            return timer.number
        }
    }

    /// Returns false if the work has begun or was cancelled.
    @discardableResult
    package func cancel(_ number: Int) -> Bool {
        contents.withLock { contents in
            guard let place = contents.timers.firstIndex(where: { $0.number == number }) else { return false }
            contents.timers.remove(at: place)
            return true
        }
    }

    private func run() {
        while true {
            var expirations: UInt64 = 0
            _ = read(alarm, &expirations, MemoryLayout<UInt64>.size)
            let due = contents.withLock { contents in
                let now = Self.now
                let due = contents.timers.reversed().prefix { $0.due <= now }
                contents.timers.removeLast(due.count)
                if let next = contents.timers.last { wake(at: next.due) }
                return due.map(\.work)
            }
            for work in due { work() }
        }
    }

    /// Cancelled timers may wake the thread in vain, once each at most.
    private func wake(at time: Duration) {
        var setting = itimerspec(it_interval: timespec(), it_value: timespec(time))
        timerfd_settime(alarm, Int32(TFD_TIMER_ABSTIME), &setting, nil)
    }
}
