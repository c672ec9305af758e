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
