import Model

/// What a mock upstream does.
package enum MockBehavior: String, Sendable, CaseIterable {
    /// Answers with samples.
    case data
    /// Has no records.
    case empty
    /// Fails each time, as `offline`.
    case error
    /// Never answers; a cancelled task gets its `CancellationError`.
    case hang

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
        UsersService(fetchPage: { _ in
            try await behavior.answer(
                Page(records: users, total: users.count), empty: Page(records: [], total: 0))
        })
    }
}

extension FactsService {
    package static func mock(
        _ behavior: MockBehavior = .data, facts: [NewFact] = NewFact.samples
    ) -> FactsService {
        FactsService(
            fetchPage: { _ in
                try await behavior.answer(
                    Page(records: facts, total: facts.count), empty: Page(records: [], total: 0))
            },
            fetchOne: {
                guard let fact = try await behavior.answer(facts.first, empty: nil) else {
                    throw UpstreamError(.decode, "the mock upstream has no fact")
                }
                return fact
            })
    }
}

extension PicturesService {
    /// One transparent pixel.
    package static func mock(_ behavior: MockBehavior = .data) -> PicturesService {
        PicturesService(fetch: { url, _ in
            let picture = try await behavior.answer(FetchedPicture.sample, empty: nil)
            guard let picture else {
                throw UpstreamError(.http, "\(url.shown(upTo: 100)) answered 404", status: 404)
            }
            return .picture(picture)
        })
    }
}
