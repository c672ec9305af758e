import Cache
import Logging
import Model
import Services
import SyncCore

extension SyncEngine {
    /// All that can happen to the engine.
    enum Message: Sendable {
        /// `reply` gets the state once the sync has begun, or, with `wait`, once it has ended.
        case want(Resource, Cause, acceptsRemovals: Bool, wait: Bool, CheckedContinuation<State, any Error>?)
        case cancel(Resource, CheckedContinuation<State, any Error>)
        case event(Resource, Machine.Event)
        case staged(Resource, Int, StagedPages)
        case failed(Resource, Int, UpstreamError)
        case fetched(Fact, CheckedContinuation<Fact, any Error>)

        var resource: Resource {
            switch self {
            case .want(let resource, _, _, _, _), .cancel(let resource, _), .event(let resource, _),
                .staged(let resource, _, _), .failed(let resource, _, _):
                resource
            case .fetched: .facts
            }
        }
    }

    func handle(_ message: Message) async {
        do {
            try await attempt(message)
        } catch {
            let failure = UpstreamError(reading: error).failure
            logger.error(
                "A transition could not be written",
                metadata: ["resource": "\(message.resource)", "reason": "\(failure.message)"])
            later(message, after: .seconds(10))
        }
    }

    /// Throws where a transition could not be written and the same message is to be tried again.
    private func attempt(_ message: Message) async throws {
        switch message {
        case .want(let resource, let cause, let acceptsRemovals, let wait, let reply):
            do {
                try await perform(.wanted(cause), on: resource)
            } catch {
                guard let reply else { throw error }
                return reply.resume(throwing: error)
            }
            if acceptsRemovals { runners[resource]?.acceptsRemovals = true }
            answer(reply, resource, wait: wait)

        case .cancel(let resource, let reply):
            do {
                try await perform(.cancelled, on: resource)
            } catch {
                return reply.resume(throwing: error)
            }
            answer(reply, resource, wait: false)

        case .event(let resource, let event):
            try await perform(event, on: resource)

        case .staged(let resource, let generation, let staged):
            if staged.duplicates > 0 {
                logger.notice(
                    "Upstream sent records more than once; each is kept once",
                    metadata: ["resource": "\(resource)", "duplicates": "\(staged.duplicates)"])
            }
            do {
                try await commit(resource, generation)
            } catch {
                try await failed(resource, generation, UpstreamError(reading: error))
            }

        case .failed(let resource, let generation, let error):
            try await failed(resource, generation, error)

        case .fetched(let fact, let reply):
            do {
                let (fact, count) = try await cache.writer.addFact(fact)
                runners[.facts]?.saved.state.count = count
                reply.resume(returning: fact)
            } catch {
                reply.resume(throwing: error)
            }
        }
    }

    private func failed(_ resource: Resource, _ generation: Int, _ error: UpstreamError) async throws {
        try await perform(
            .failed(generation: generation, error.failure), on: resource, retryAfter: error.retryAfter)
    }

    private func answer(_ reply: CheckedContinuation<State, any Error>?, _ resource: Resource, wait: Bool) {
        guard let reply else { return }
        if wait, runners[resource]?.machine.runningGeneration != nil {
            runners[resource]?.waiting.append(reply)
        } else if let state = state(of: resource) {
            reply.resume(returning: state)
        } else {
            reply.resume(throwing: CancellationError())
        }
    }
}

extension UpstreamError {
    /// What went wrong in a sync, whatever layer it came from.
    init(reading error: any Error) {
        switch error {
        case let error as UpstreamError: self = error
        case let failure as Failure: self.init(failure)
        case is CancellationError:
            self.init(Failure(kind: .cancelled, message: "the sync was stopped", retryable: true))
        default:
            self.init(
                Failure(kind: .storage, message: "the cache could not be written: \(error)", retryable: true))
        }
    }
}
