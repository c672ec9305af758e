import Synchronization
import TestSupport
import Testing

/// An endpoint that answers what the test tells it to, call for call and in order:
///
///     let users = UsersStub()
///         .failure(offline)
///         .delay(.seconds(5), on: clock).success(people(0..<3), times: 2)
///     let service = UsersService(users)
///
/// The test, or its suite, needs the trait `.stubs`, and fails for each call without an answer
/// and, at its end, for each unused answer.
package final class Stub<Input: Sendable, Output: Sendable>: Sendable, Answering {
    private let answers = Channel<Answer<Output>>()
    private let calls = Channel<Input>()
    private let contents = Mutex(Contents())
    private let waits: Bool
    private let sourceLocation: SourceLocation

    private struct Contents {
        var inputs: [Input] = []
        var given: [Answer<Output>] = []
        /// The number of answers minus the number of calls.
        var left = 0
    }

    /// - Parameter waits: true if a call without an answer waits for one instead of failing the test, so that
    ///   a test can look at the held state.
    package init(waits: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) {
        self.waits = waits
        self.sourceLocation = sourceLocation
        guard let scope = StubScope.current else {
            Issue.record(
                "unused answers would not be reported: the test needs the trait .stubs",
                sourceLocation: sourceLocation)
            return
        }
        scope.add { self.verify() }
    }

    /// The inputs of all calls so far.
    package var inputs: [Input] { contents.withLock { $0.inputs } }
    package var callCount: Int { inputs.count }

    /// Waits for the next call.
    @discardableResult
    package func called() async throws -> Input { try await calls.receive() }

    package func add(
        _ result: Result<Output, any Error>, _ times: ClosedRange<Int>, _ delay: Delay?,
        _ sourceLocation: SourceLocation
    ) -> Stub {
        let answer = Answer(
            result: result, times: times, delay: delay, sourceLocation: sourceLocation)
        contents.withLock {
            $0.given.append(answer)
            $0.left += times.upperBound
        }
        for _ in 0..<times.upperBound { answers.send(answer) }
        return self
    }

    package func call(_ input: Input) async throws -> Output {
        let number = contents.withLock {
            $0.inputs.append(input)
            return $0.inputs.count
        }
        calls.send(input)
        try Task.checkCancellation()
        let isForeseen = contents.withLock {
            $0.left -= 1
            return $0.left >= 0
        }
        guard isForeseen || waits else {
            let call = UnforeseenCall(number: number, input: "\(input)")
            Issue.record("\(call)", sourceLocation: sourceLocation)
            throw call
        }
        let answer = try await answers.receive()
        answer.taken.add(1, ordering: .sequentiallyConsistent)
        if let delay = answer.delay { try await delay.clock.sleep(delay.duration) }
        return try answer.result.get()
    }

    private func verify() {
        for answer in contents.withLock({ $0.given }) {
            let taken = answer.taken.load(ordering: .sequentiallyConsistent)
            guard taken < answer.times.lowerBound else { continue }
            Issue.record(
                "\(taken) of \(answer.times.lowerBound) calls have come for this answer",
                sourceLocation: answer.sourceLocation)
        }
    }
}

private final class Answer<Output: Sendable>: Sendable {
    let result: Result<Output, any Error>
    let times: ClosedRange<Int>
    let delay: Delay?
    let sourceLocation: SourceLocation
    let taken = Atomic(0)

    init(
        result: Result<Output, any Error>, times: ClosedRange<Int>, delay: Delay?,
        sourceLocation: SourceLocation
    ) {
        (self.result, self.times, self.delay) = (result, times, delay)
        self.sourceLocation = sourceLocation
    }
}

/// The error of a call without an answer.
package struct UnforeseenCall: Error, CustomStringConvertible {
    let number: Int
    let input: String
    package var description: String { "there is no answer for call \(number): \(input.prefix(500))" }
}
