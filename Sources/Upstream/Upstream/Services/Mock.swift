import Model
import Synchronization

extension MockBehavior {
    fileprivate func answer<Value>(_ data: Value, empty: Value) async throws -> Value {
        switch self {
        case .data: return data
        case .empty: return empty
        case .error: throw UpstreamError(.offline, "the mock upstream fails each time")
        case .hang:
            while true { try await Task.sleep(for: .seconds(86_400)) }
        }
    }
}

extension UsersService {
    package static func mock(_ behavior: MockBehavior = .data, users: [User] = User.samples) -> UsersService {
        var service = UsersService(fetchPage: { _, _ in
            try await behavior.answer(
                Page(records: users, total: users.count), empty: Page(records: [], total: 0))
        })
        service.source = UsersService.mockSource
        return service
    }
}

extension FactsService {
    /// A request for one more fact gets the next; after the last, the first again.
    package static func mock(
        _ behavior: MockBehavior = .data, facts: [NewFact] = NewFact.samples
    ) -> FactsService {
        let taken = Mutex(0)
        return FactsService(
            fetchPage: { _, _ in
                try await behavior.answer(
                    Page(records: facts, total: facts.count), empty: Page(records: [], total: 0)
                )
            },
            fetchOne: {
                let next = taken.withLock { taken in
                    defer { taken += 1 }
                    return facts.isEmpty ? nil : facts[taken % facts.count]
                }
                guard let fact = try await behavior.answer(next, empty: nil) else {
                    throw UpstreamError(.decode, "the mock upstream has no fact")
                }
                return fact
            })
    }
}

extension PicturesService {
    /// Has the pictures of the sample users.
    package static func mock(_ behavior: MockBehavior = .data) -> PicturesService {
        PicturesService(fetch: { url, _ in
            guard let picture = try await behavior.answer(FetchedPicture.sample(at: url), empty: nil) else {
                throw UpstreamError(
                    .http, "the mock upstream has no picture at \(url.shown(upTo: 100))", status: 404)
            }
            return .picture(picture)
        })
    }
}

extension NewFact {
    package static let samples = Fact.sampleTexts.map(NewFact.init(text:))
}
