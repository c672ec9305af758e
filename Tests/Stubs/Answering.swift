import TestSupport
import Testing

/// What answers are added to: a stub, or a stub that is to answer later.
package protocol Answering<Input, Output> {
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    func add(
        _ result: Result<Output, any Error>, _ times: ClosedRange<Int>, _ delay: Delay?,
        _ sourceLocation: SourceLocation
    ) -> Stub<Input, Output>
}

/// How long a call waits for its answer.
package struct Delay: Sendable {
    var duration: Duration
    var clock: VirtualClock
}

extension Answering {
    /// Answers that many calls with the value.
    @discardableResult
    package func success(
        _ value: Output, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Stub<Input, Output> {
        add(.success(value), times...times, nil, sourceLocation)
    }

    /// Answers no more calls than the range says with the value, and no fewer.
    @discardableResult
    package func success(
        _ value: Output, times: ClosedRange<Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Stub<Input, Output> {
        add(.success(value), times, nil, sourceLocation)
    }

    @discardableResult
    package func failure(
        _ error: any Error, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Stub<Input, Output> {
        add(.failure(error), times...times, nil, sourceLocation)
    }
}

extension Stub {
    /// The answer that comes next takes that long on the clock.
    package func delay(_ duration: Duration, on clock: VirtualClock) -> DelayedAnswer<Input, Output> {
        DelayedAnswer(stub: self, delay: Delay(duration: duration, clock: clock))
    }
}

package struct DelayedAnswer<Input: Sendable, Output: Sendable>: Answering {
    let stub: Stub<Input, Output>
    let delay: Delay

    package func add(
        _ result: Result<Output, any Error>, _ times: ClosedRange<Int>, _: Delay?,
        _ sourceLocation: SourceLocation
    ) -> Stub<Input, Output> {
        stub.add(result, times, delay, sourceLocation)
    }
}
