import Dispatch
import Model
import Synchronization

/// A thread for a connection whose calls block. It does one piece of work after the other.
///
/// A cancelled caller is answered at once. Its work ends soon after, because its socket is cut. Only the
/// lookup of a name can't be cut; the next work waits for it.
final class BlockingThread: Sendable {
    /// The connection and the list, kept from one piece of work to the next.
    struct OpenConnection {
        var connection: LDAPConnection?
        var list: ListProgress?

        mutating func drop() {
            connection = nil
            list = nil
        }
    }

    private let queue = DispatchQueue(label: "ldap")
    private let held = Mutex(OpenConnection())
    private let works = Atomic(0)
    /// An unused connection is closed after this time.
    private static let idle = DispatchTimeInterval.seconds(60)

    /// - Parameter late: the failure if the work takes longer than the limit.
    func run<Value: Sendable>(
        within limit: Duration, late: @escaping @Sendable () -> UpstreamError,
        _ work: @escaping @Sendable (inout OpenConnection, CancellableSocket) throws -> Value
    ) async throws -> Value {
        let cancellable = CancellableSocket()
        let (answers, answer) = AsyncThrowingStream.makeStream(of: Value.self)
        // Called on an answer (the cancellable then holds nothing), at the limit, or if the caller is
        // cancelled.
        answer.onTermination = { _ in cancellable.cut() }
        let timer = DispatchWorkItem { answer.finish(throwing: late()) }
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .milliseconds(Int(limit.milliseconds)), execute: timer)
        defer { timer.cancel() }
        queue.async {
            guard let result = self.perform(work, cancellable) else { return }
            if case .success(let value) = result { answer.yield(value) }
            answer.finish(throwing: result.failure)
        }
        do {
            for try await value in answers { return value }
        } catch {
            // Work of a cancelled caller may report the cut as a failure before the stream ends.
            try Task.checkCancellation()
            throw error
        }
        throw CancellationError()
    }

    /// Nil if the caller no longer waits.
    private func perform<Value: Sendable>(
        _ work: @Sendable (inout OpenConnection, CancellableSocket) throws -> Value,
        _ cancellable: CancellableSocket
    ) -> Result<Value, any Error>? {
        guard !cancellable.isCut else { return nil }
        let number = works.add(1, ordering: .relaxed).newValue
        defer {
            queue.asyncAfter(deadline: .now() + Self.idle) { [weak self] in
                guard let self, works.load(ordering: .relaxed) == number else { return }
                held.withLock { $0.drop() }
            }
        }
        return held.withLock { held in
            held.connection?.hold(cancellable)
            defer { cancellable.release() }
            let result = Result { try work(&held, cancellable) }
            // A connection that was cut can't be used again.
            if cancellable.isCut { held.drop() }
            return result
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
