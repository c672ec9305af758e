import Synchronization

/// A queue between a test and what it tests. Receivers wait for values. Unlike with a stream, a cancelled receiver
/// does not end the channel.
package final class Channel<Value: Sendable>: Sendable {
    private struct Contents {
        var values: [Value] = []
        var receivers: [(number: Int, continuation: CheckedContinuation<Value, any Error>)] = []
        var nextNumber = 0
    }

    private let contents = Mutex(Contents())

    package init() {}

    package func send(_ value: Value) {
        let receiver: CheckedContinuation<Value, any Error>? = contents.withLock {
            guard !$0.receivers.isEmpty else {
                $0.values.append(value)
                return nil
            }
            return $0.receivers.removeFirst().continuation
        }
        receiver?.resume(returning: value)
    }

    /// Throws `CancellationError`.
    package func receive() async throws -> Value {
        let number = contents.withLock {
            $0.nextNumber += 1
            return $0.nextNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let received: Result<Value, any Error>? = contents.withLock {
                    // A cancelled receiver must not take a value.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if !$0.values.isEmpty { return .success($0.values.removeFirst()) }
                    $0.receivers.append((number, continuation))
                    return nil
                }
                if let received { continuation.resume(with: received) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func leave(_ number: Int) {
        let receiver: CheckedContinuation<Value, any Error>? = contents.withLock {
            guard let index = $0.receivers.firstIndex(where: { $0.number == number }) else { return nil }
            return $0.receivers.remove(at: index).continuation
        }
        receiver?.resume(throwing: CancellationError())
    }
}
