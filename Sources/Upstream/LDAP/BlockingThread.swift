import Dispatch
import Model
import Synchronization

/// A connection that blocks, on a thread of its own, which does one piece of work after the other.
///
/// A caller that is cancelled is answered at once. Its work ends soon after: what it waits for on a socket is cut. Only the
/// lookup of a name goes on by itself; the next work waits for it.
final class BlockingThread: Sendable {
    /// What is kept from one piece of work to the next.
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
    private let busy = Atomic(false)
    /// A connection that nobody used for so long is closed.
    private static let idle = DispatchTimeInterval.seconds(60)

    var isBusy: Bool { busy.load(ordering: .relaxed) }

    /// - Parameter late: the failure where the work takes longer than the limit.
    func run<Value: Sendable>(
        within limit: Duration, late: @escaping @Sendable () -> UpstreamError,
        _ work: @escaping @Sendable (inout OpenConnection, CancellableSocket) throws -> Value
    ) async throws -> Value {
        let cancellable = CancellableSocket()
        let (answers, answer) = AsyncThrowingStream.makeStream(of: Value.self)
        // By the answer, after which the cancellable holds nothing, by the limit, or since the caller is cancelled.
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
            // Work that was cut since its caller is cancelled may tell its failure before the stream ends.
            try Task.checkCancellation()
            throw error
        }
        throw CancellationError()
    }

    /// Nil if nobody waits for it any more.
    private func perform<Value: Sendable>(
        _ work: @Sendable (inout OpenConnection, CancellableSocket) throws -> Value,
        _ cancellable: CancellableSocket
    ) -> Result<Value, any Error>? {
        guard !cancellable.isCut else { return nil }
        busy.store(true, ordering: .relaxed)
        defer { busy.store(false, ordering: .relaxed) }
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
            // What was cut is of no use to the next.
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
