import CSQLite
import Dispatch
import Synchronization

/// Ends long work on a connection for good. The running statement and all later ones throw an error that
/// `isInterrupted`, or `isBusy` while they wait for a lock, and are rolled back. Short statements may still succeed.
final class Interruption: Sendable {
    /// Not a global queue: once libdispatch has threads for those, it checks them every second.
    private static let queue = DispatchQueue(label: "sqlite interrupts")

    /// Address of the connection's handle; nil before it is opened and once it is closed.
    private let address = Mutex<UInt?>(nil)
    private let isWanted = Atomic(false)
    /// Number of attempts to take a lock, one every `pause` milliseconds.
    fileprivate let attempts = Atomic<Int32>(0)

    fileprivate static let pause: Int32 = 5

    func want() {
        isWanted.store(true, ordering: .relaxed)
        interrupt()
    }

    /// Uses no task, which would run late while all threads of tasks are busy.
    func want(after limit: Duration) {
        Self.queue.asyncAfter(deadline: .now() + limit / .seconds(1)) { self.want() }
    }

    /// Returns the earlier number of attempts.
    @discardableResult
    fileprivate func wait(atMost limit: Duration) -> Int32 {
        let attempts = min(limit / .milliseconds(Int(Self.pause)), Double(Int32.max))
        return self.attempts.exchange(Int32(attempts), ordering: .relaxed)
    }

    fileprivate func begin(_ handle: OpaquePointer?) {
        address.withLock { $0 = handle.map { UInt(bitPattern: $0) } }
        if isWanted.load(ordering: .relaxed) { interrupt() }
    }

    /// Call before the connection is closed.
    func end() { address.withLock { $0 = nil } }

    /// Repeats, because an interrupt between two statements has no effect.
    private func interrupt() {
        let isOpen = address.withLock { address in
            guard let address else { return false }
            sqlite3_interrupt(OpaquePointer(bitPattern: address))
            return true
        }
        if isOpen { Self.queue.asyncAfter(deadline: .now() + .milliseconds(10)) { self.interrupt() } }
    }

    /// Replaces SQLite's busy handler, which cannot be interrupted.
    fileprivate static let wait: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = {
        pointer, count in
        guard let pointer else { return 0 }
        let interruption = Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue()
        guard count < interruption.attempts.load(ordering: .relaxed),
            !interruption.isWanted.load(ordering: .relaxed)
        else { return 0 }
        _ = sqlite3_sleep(pause)
        return 1
    }
}

extension Connection {
    /// Waits in the body at most this long for another connection's lock.
    package func waitingForLocks<T>(atMost limit: Duration, _ body: () throws -> T) rethrows -> T {
        let usual = interruption?.wait(atMost: limit)
        defer { if let usual { interruption?.attempts.store(usual, ordering: .relaxed) } }
        return try body()
    }

    /// Call once for each connection; in effect until the connection is closed.
    func heed(_ interruption: Interruption) {
        self.interruption = interruption
        interruption.wait(atMost: busyTimeout)
        _ = sqlite3_busy_handler(
            handle, Interruption.wait, Unmanaged.passUnretained(interruption).toOpaque())
        interruption.begin(handle)
    }
}
