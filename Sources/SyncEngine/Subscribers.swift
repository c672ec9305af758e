import Model

/// Those who watch. Each has a bounded queue; who lets it run full is cut off with the index to resume from.
struct Subscribers {
    /// What one watcher waits on.
    private struct Subscriber {
        var resources: Set<Resource>
        var progress: Bool
        var queue: AsyncThrowingStream<State, any Error>.Continuation
        /// Of the last transition in the queue.
        var index: Int
    }

    /// States that may wait for one watcher.
    private let queueLength: Int
    private var subscribers: [Int: Subscriber] = [:]
    private var nextNumber = 0
    /// Nothing will ever be published again: who comes now is told so at once.
    private(set) var isFinished = false

    var count: Int { subscribers.count }

    init(queueLength: Int) { self.queueLength = queueLength }

    /// - Parameter left: called, on any thread, when the watcher has gone.
    mutating func add(
        resources: Set<Resource>, progress: Bool, index: Int, left: @escaping @Sendable (Int) -> Void
    ) -> Watcher {
        let (stream, queue) = AsyncThrowingStream<State, any Error>.makeStream(
            bufferingPolicy: .bufferingOldest(queueLength))
        guard !isFinished else {
            queue.finish()
            return Watcher(states: stream, queue: queue)
        }
        let number = nextNumber
        nextNumber += 1
        queue.onTermination = { _ in left(number) }
        subscribers[number] = Subscriber(resources: resources, progress: progress, queue: queue, index: index)
        return Watcher(states: stream, queue: queue)
    }

    mutating func remove(_ number: Int) { subscribers[number] = nil }

    mutating func publish(_ transition: State) {
        for (number, subscriber) in subscribers {
            guard subscriber.resources.contains(transition.resource) else { continue }
            if case .dropped = subscriber.queue.yield(transition) {
                subscriber.queue.finish(
                    throwing: WatchError.fellBehind(epoch: transition.epoch, index: subscriber.index))
                subscribers[number] = nil
            } else {
                subscribers[number]?.index = transition.index
            }
        }
    }

    /// A report that finds no room is left out: the next one says more.
    func report(_ state: State) {
        for subscriber in subscribers.values
        where subscriber.progress && subscriber.resources.contains(state.resource) {
            subscriber.queue.yield(state)
        }
    }

    mutating func finish() {
        for subscriber in subscribers.values { subscriber.queue.finish() }
        subscribers = [:]
        isFinished = true
    }
}

/// Why a watch can't go on, or begin.
package enum WatchError: Error, Hashable, Sendable {
    /// The watcher was too slow; it has had all transitions up to this index.
    case fellBehind(epoch: String, index: Int)
    /// The transitions asked for are not kept any more, or never were of this cache.
    case sequenceGone(epoch: String, oldest: Int, newest: Int)
}

/// One who watches: asks for state after state until there is none.
package actor Watcher {
    private let states: AsyncThrowingStream<State, any Error>
    private let queue: AsyncThrowingStream<State, any Error>.Continuation
    /// What comes before those in the queue.
    private var first: ArraySlice<State> = []

    init(
        states: AsyncThrowingStream<State, any Error>,
        queue: AsyncThrowingStream<State, any Error>.Continuation
    ) {
        self.states = states
        self.queue = queue
    }

    func begin(with states: [State]) { first = states[...] }

    /// Nil when the engine has ended or the watch was cancelled, this call's task among it. Throws `WatchError`.
    /// One call at a time: who asks again before the first has been answered ends the program.
    package func next() async throws -> State? {
        if let state = first.popFirst() { return state }
        var iterator = states.makeAsyncIterator()
        return try await iterator.next()
    }

    package nonisolated func cancel() { queue.finish() }
}
