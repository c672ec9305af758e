import Model
import TestSupport

@testable import Cache

func time(_ text: String) -> Timestamp { Timestamp(rfc3339: "2026-03-\(text)Z")! }

let anna = User(id: "id-anna", name: .init(title: "Dr", first: "Anna", last: "Bergström")) {
    $0.username = "lazyduck1"
    $0.gender = "female"
    $0.email = "anna@example.com"
    $0.phone = "011-962-7516"
    $0.cell = "081-454-0666"
    $0.bornAt = Timestamp(rfc3339: "1990-07-20T09:44:18.674Z")
    $0.age = 35
    $0.registeredAt = Timestamp(rfc3339: "2012-01-02T00:00:00Z")
    $0.nationality = "SE"
    $0.address = .init {
        ($0.street, $0.city) = ("8 Storgatan", "Malmö")
        ($0.state, $0.postcode, $0.country) = ("Skåne", "00217", "Sweden")
        ($0.latitude, $0.longitude, $0.utcOffset) = (55.6, -13, "+1:00")
    }
    $0.picture = .init(large: "https://example.com/l.png")
}
let wei = User(id: "id-wei", name: .init(first: "伟", last: "王")) {
    $0.email = "wei@example.com"
    $0.nationality = "CN"
}

func state(
    _ resource: Resource, _ phase: Phase, index: Int = 1, cause: Cause = .committed(), count: Int = 0,
    syncedAt: Timestamp? = nil, stale: Bool = false, nextSyncAt: Timestamp? = nil,
    progress: Progress? = nil, failure: Failure? = nil
) -> State {
    State(
        epoch: "e", index: index, resource: resource, phase: phase, since: time("04T11:57:00"), cause: cause,
        count: count, syncedAt: syncedAt, stale: stale, nextSyncAt: nextSyncAt, progress: progress,
        failure: failure)
}

let offline = Failure(
    kind: .offline, message: "connection refused", retryable: true, attempts: 3)
let failedUsers = state(
    .users, .error, index: 7, cause: .failed, count: 5000, syncedAt: time("04T09:00:00"), stale: true,
    nextSyncAt: time("04T12:00:42"), failure: offline)
let loadedFacts = state(
    .facts, .loaded, index: 5, count: 1, syncedAt: time("04T11:57:00"), nextSyncAt: time("04T12:27:00"))

/// A cache file with some rows, as userd writes it.
struct CacheFile {
    let directory: TemporaryDirectory
    var path: String { directory.file("cache/userd.db") }

    /// - Parameter users: nil for a cache that was never synced.
    init(
        users: [User]?, facts: [Fact] = [], pictures: [FoundPicture] = [], fields: [UserField] = UserField.all
    ) async throws {
        directory = try TemporaryDirectory()
        let cache = try await Cache.live(
            path: path, newEpoch: "e", now: { noon }, random: { $0.lowerBound }
        ) {
            $0.readers = 1
            $0.fields = fields
        }
        _ = try await cache.writer.restore([.users: .seconds(900), .facts: .seconds(900)], noon)
        if let users {
            try await cache.writer.beginStaging(.users, 1)
            _ = try await cache.writer.stageUsers(Page(records: users), 1, 1)
            _ = try await cache.writer.commit(.users, 1, .atOnce) { rows in
                let loaded = state(.users, .loaded, count: rows.counted, syncedAt: time("04T11:57:00"))
                return Change(
                    transition: loaded, resource: SavedResource(state: loaded, interval: .seconds(900)))
            }
        }
        for fact in facts { _ = try await cache.writer.addFact(fact) }
        for picture in pictures { try await cache.pictures.keep(picture, nil, 1_000_000) }
        await cache.close()
    }
}
