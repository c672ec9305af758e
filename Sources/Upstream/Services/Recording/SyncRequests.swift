import Synchronization

/// How far one sync is, by the requests that it has made: what a client cancels while it is recorded is cancelled at the same
/// place in a replay.
package final class SyncRequests: Sendable {
    /// Of the sync that is asking; nil for all else.
    @TaskLocal package static var current: SyncRequests?

    private let contents = Mutex((count: 0, hasEnded: false))
    private let last: Int?
    private let whenLast: @Sendable () -> Void

    /// - Parameters:
    ///   - last: of a replay: in the recording it was cancelled after so many.
    ///   - whenLast: called when it has made these.
    package init(until last: Int? = nil, whenLast: @escaping @Sendable () -> Void = {}) {
        (self.last, self.whenLast) = (last, whenLast)
    }

    package var count: Int { contents.withLock(\.count) }

    /// Has there be no more of them, until the sync has heard that it was cancelled.
    package func end() -> Int {
        contents.withLock { contents in
            contents.hasEnded = true
            return contents.count
        }
    }

    /// Whether it is to be cancelled before anything else comes of it.
    var isOver: Bool { last.map { count >= $0 } ?? false }

    func begin() throws {
        let count = try contents.withLock { contents in
            if contents.hasEnded { throw CancellationError() }
            contents.count += 1
            return contents.count
        }
        if count == last { whenLast() }
    }
}
