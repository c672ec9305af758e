import CSQLite
import Dispatch
import Synchronization

extension Connection {
    /// Interrupts the statements of the body that run when the time is up, and those that it begins afterwards: they throw an
    /// error that `isInterrupted`.
    package func within<T>(_ limit: Duration, _ body: () throws -> T) throws -> T {
        let interrupter = Interrupter(handle)
        let timer = DispatchSource.makeTimerSource(queue: .global())
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

/// Never interrupts a connection that may have been closed.
private final class Interrupter: Sendable {
    /// It has to be done again and again: an interruption between two statements is forgotten.
    static let interval = DispatchTimeInterval.milliseconds(10)

    /// The handle's address; nil once disarmed.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer? = nil) { address = Mutex(handle.map { UInt(bitPattern: $0) }) }

    func arm(_ handle: OpaquePointer?) { address.withLock { $0 = handle.map { UInt(bitPattern: $0) } } }

    /// Returns whether there was anything left to interrupt.
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

/// Ends for good what takes long on a connection: the statement that runs, and each that begins afterwards, throws an error
/// that `isInterrupted`, or `isBusy` where it waits for somebody else's lock, and its transaction is rolled back. What is
/// short may still get through.
final class Interruption: Sendable {
    fileprivate let interrupter = Interrupter()
    private let isWanted = Atomic(false)
    /// How often a lock is tried, which is once in `pause` milliseconds.
    fileprivate let attempts = Atomic<Int32>(0)

    fileprivate static let pause: Int32 = 5

    func want() {
        isWanted.store(true, ordering: .relaxed)
        again()
    }

    /// To be called before the connection is closed.
    func end() { interrupter.disarm() }

    private func again() {
        guard interrupter.interrupt() else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Interrupter.interval) { self.again() }
    }

    /// In the place of SQLite's own, which waits whatever happens.
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
    /// To be called once: it is heeded until the connection is closed.
    func heed(_ interruption: Interruption) {
        self.interruption = interruption
        interruption.interrupter.arm(handle)
        interruption.attempts.store(
            Int32(min(busyTimeout / .milliseconds(Int(Interruption.pause)), Double(Int32.max))),
            ordering: .relaxed)
        _ = sqlite3_busy_handler(
            handle, Interruption.wait, Unmanaged.passUnretained(interruption).toOpaque())
    }
}
