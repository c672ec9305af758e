import Synchronization

/// Tokens that are not on the disk yet: those that could not be written, and those of renewals that run. The refresh
/// tokens before them are spent, so a process keeps one of these for its whole life, whatever its settings become.
package final class UnsavedTokens: Sendable {
    private struct Unwritten {
        let store: TokenStore
        let tokens: SavedTokens
        /// What the file had. If it has something else by now, the tokens are outdated. Nil for a new sign-in.
        let replaced: SavedTokens?
    }

    private struct Contents {
        /// By the paths of their files.
        var unwritten: [String: Unwritten] = [:]
        var renewals: [Int: Task<SavedTokens, any Error>] = [:]
        var begun = 0
        var isEnding = false
    }

    private let contents = Mutex(Contents())

    package init() {}

    package var isRenewing: Bool { contents.withLock { !$0.renewals.isEmpty } }

    /// Runs a renewal, which goes on when its callers give up. None begins once the process ends.
    func renewal(
        _ renew: @escaping @Sendable () async throws -> SavedTokens
    ) -> Task<SavedTokens, any Error> {
        contents.withLock { contents in
            let number = contents.begun
            contents.begun += 1
            if contents.isEnding { return Task { throw Swift.CancellationError() } }
            let task = Task {
                defer { self.contents.withLock { $0.renewals[number] = nil } }
                return try await renew()
            }
            contents.renewals[number] = task
            return task
        }
    }

    /// Ends renewals: returns once none runs and what could not be written was tried again. Returns early if
    /// cancelled.
    package func settle() async {
        let running = contents.withLock { contents in
            contents.isEnding = true
            return contents.renewals.values
        }
        for renewal in running {
            _ = try? await renewal.valueUnlessCancelled()
        }
        for unwritten in contents.withLock({ Array($0.unwritten.values) }) where !Task.isCancelled {
            guard let lock = try? unwritten.store.lock() else { continue }
            try? write(to: unwritten.store)
            withExtendedLifetime(lock) {}
        }
    }

    // MARK: - While the store is locked

    func keep(_ tokens: SavedTokens, replacing old: SavedTokens?, in store: TokenStore) {
        contents.withLock {
            $0.unwritten[store.path] = Unwritten(store: store, tokens: tokens, replaced: old)
        }
    }

    /// Writes what is unwritten, if there is anything. Blocks.
    func write(to store: TokenStore) throws {
        guard let tokens = try newest(in: store) else { return }
        try store.write(tokens)
        forget(store)
    }

    /// The tokens that belong into the file and are not there; nil if there are none. Blocks.
    func newest(in store: TokenStore) throws -> SavedTokens? {
        guard let unwritten = contents.withLock({ $0.unwritten[store.path] }) else { return nil }
        if try unwritten.replaced == nil || store.read() == unwritten.replaced { return unwritten.tokens }
        forget(store)
        return nil
    }

    func forget(_ store: TokenStore) { contents.withLock { $0.unwritten[store.path] = nil } }
}

extension Task where Failure == any Error {
    /// The task's value. If the caller is cancelled, throws at once, and the task goes on.
    func valueUnlessCancelled() async throws -> Success {
        let (values, arrived) = AsyncThrowingStream.makeStream(of: Success.self)
        Task<Void, Never> {
            do {
                arrived.yield(try await value)
                arrived.finish()
            } catch { arrived.finish(throwing: error) }
        }
        for try await value in values { return value }
        throw Swift.CancellationError()
    }
}
