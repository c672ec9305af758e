import TestSupport
import Testing

/// A stub, or a delayed stub, to which a test adds answers.
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
    /// Answers this number of calls with the value.
    @discardableResult
    package func success(
        _ value: Output, times: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) -> Stub<Input, Output> {
        add(.success(value), times...times, nil, sourceLocation)
    }

    /// Answers with the value a number of calls that is in the range.
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
    /// Delays the next answer by this duration on the clock.
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
