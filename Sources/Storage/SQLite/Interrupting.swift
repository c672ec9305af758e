import CSQLite
import Dispatch
import Synchronization

extension Connection {
    /// Interrupts statements of the body that run when time is up, and those that start later. They throw an error
    /// that `isInterrupted`.
    package func within<T>(_ limit: Duration, _ body: () throws -> T) throws -> T {
        let interrupter = Interrupter(handle)
        let timer = DispatchSource.makeTimerSource(queue: Interrupter.queue)
        timer.schedule(deadline: .now() + limit / .seconds(1), repeating: Interrupter.interval)
        timer.setEventHandler { interrupter.interrupt() }
        timer.resume()
        defer {
            timer.cancel()
            interrupter.disarm()
        }
        return try body()
    }
}

/// Never interrupts a connection after it is disarmed.
private final class Interrupter: Sendable {
    /// Repeated, because an interrupt between two statements has no effect.
    static let interval = DispatchTimeInterval.milliseconds(10)
    /// Not a global queue: libdispatch looks every second at the threads of those, once it has any.
    static let queue = DispatchQueue(label: "sqlite interrupts")

    /// Address of the handle; nil once disarmed.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer? = nil) { address = Mutex(handle.map { UInt(bitPattern: $0) }) }

    func arm(_ handle: OpaquePointer?) { address.withLock { $0 = handle.map { UInt(bitPattern: $0) } } }

    /// Returns false once disarmed.
    @discardableResult
    func interrupt() -> Bool {
        address.withLock { address in
            guard let address else { return false }
            sqlite3_interrupt(OpaquePointer(bitPattern: address))
            return true
        }
    }

    func disarm() { address.withLock { $0 = nil } }
}

/// Ends long work on a connection for good. The running statement and all later ones throw an error that
/// `isInterrupted`, or `isBusy` while they wait for a lock, and are rolled back. Short statements may still succeed.
final class Interruption: Sendable {
    fileprivate let interrupter = Interrupter()
    private let isWanted = Atomic(false)
    /// Number of attempts at a lock, one every `pause` milliseconds.
    fileprivate let attempts = Atomic<Int32>(0)

    fileprivate static let pause: Int32 = 5

    func want() {
        isWanted.store(true, ordering: .relaxed)
        again()
    }

    /// Returns the number of attempts before.
    @discardableResult
    fileprivate func wait(atMost limit: Duration) -> Int32 {
        let attempts = min(limit / .milliseconds(Int(Self.pause)), Double(Int32.max))
        return self.attempts.exchange(Int32(attempts), ordering: .relaxed)
    }

    /// The connection is another one.
    fileprivate func goOn() { if isWanted.load(ordering: .relaxed) { again() } }

    /// Call before the connection is closed.
    func end() { interrupter.disarm() }

    private func again() {
        guard interrupter.interrupt() else { return }
        Interrupter.queue.asyncAfter(deadline: .now() + Interrupter.interval) { self.again() }
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
        interruption.interrupter.arm(handle)
        interruption.wait(atMost: busyTimeout)
        _ = sqlite3_busy_handler(
            handle, Interruption.wait, Unmanaged.passUnretained(interruption).toOpaque())
        interruption.goOn()
    }
}
