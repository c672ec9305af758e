import CSQLite
import Dispatch
import Synchronization

extension Connection {
    /// Interrupts the statements of the body that run when the time is up, and those that it begins afterwards: they throw an
    /// error that `isInterrupted`.
    package func within<T>(_ limit: Duration, _ body: () throws -> T) throws -> T {
        let interrupter = Interrupter(handle)
        let timer = DispatchSource.makeTimerSource(queue: .global())
        // Again and again: an interruption between two statements would be forgotten.
        timer.schedule(deadline: .now() + limit / .seconds(1), repeating: .milliseconds(10))
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
    /// The handle's address; nil once disarmed.
    private let address: Mutex<UInt?>

    init(_ handle: OpaquePointer?) { address = Mutex(handle.map { UInt(bitPattern: $0) }) }

    func interrupt() {
        address.withLock { address in
            if let address { sqlite.interrupt(OpaquePointer(bitPattern: address)) }
        }
    }

    func disarm() { address.withLock { $0 = nil } }
}

/// Ends for good what takes long on a connection: the statement that runs, and each that begins afterwards, throws an error
/// that `isInterrupted`, and its transaction is rolled back. What is short may still get through.
final class Interruption: Sendable {
    private let isWanted = Atomic(false)

    func want() { isWanted.store(true, ordering: .relaxed) }

    /// Asked every few milliseconds: an interruption that SQLite is told of between two statements would be forgotten.
    fileprivate static let question: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { pointer in
        guard let pointer else { return 0 }
        let interruption = Unmanaged<Interruption>.fromOpaque(pointer).takeUnretainedValue()
        return interruption.isWanted.load(ordering: .relaxed) ? 1 : 0
    }
}

extension Connection {
    /// To be called once: it is asked for as long as the connection is open.
    func heed(_ interruption: Interruption) {
        self.interruption = interruption
        sqlite.progress_handler(
            handle, 10_000, Interruption.question, Unmanaged.passUnretained(interruption).toOpaque())
    }
}
