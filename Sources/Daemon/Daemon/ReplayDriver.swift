import FoundationEssentials
import HTTP
import Logging
import Model
import Sync

/// Repeats what clients asked for during the recording: syncs each resource again and again, as long as the
/// recording has answers for it, then pauses the engine.
struct ReplayDriver: Sendable {
    let replay: Replay
    let engine: SyncEngine
    let settings: Settings
    let logger: Logger

    /// The driver waits for an automatic attempt that is due within this time.
    private static let soon = Duration.seconds(5)

    func run() async {
        do {
            async let users: Void = replayAll(.users, pages: settings.users.url)
            if settings.hasFacts {
                try await replayAll(.facts, pages: settings.facts.url, one: settings.facts.oneURL)
            }
            try await users
            try await engine.setPaused(true)
            logger.notice("End of the recording; nothing syncs by itself any more")
        } catch {
            logger.debug("The replay has ended", metadata: ["reason": "\(error)"])
        }
    }

    private func replayAll(_ resource: Resource, pages: String, one: String? = nil) async throws {
        let (pages, one) = (try url(pages), try one.map(url))
        let urls = [pages] + (one.map { [$0] } ?? [])
        let watcher = try await engine.watch(from: .now, resources: [resource], progress: false)
        // Returns once the engine works.
        _ = try await engine.retry([resource], patience: .ignores)
        var before = Int.max
        while let next = replay.left(of: urls).next {
            guard let state = engine.states.first(where: { $0.resource == resource }) else { return }
            let isDueSoon = state.nextSyncAt.map { $0 - engine.now < Self.soon } ?? false
            if state.phase == .syncing || isDueSoon {
                guard try await watcher.next() != nil else { return }
                continue
            }
            // No progress: the rest of the recording belongs to other settings.
            let left = replay.left(of: urls).count
            if left >= before { return }
            before = left
            if next == one, one != pages {
                _ = try? await engine.fetchFact()
            } else if state.phase == .error {
                _ = try await engine.retry([resource], patience: .ignores, wait: true)
            } else {
                _ = try await engine.sync([resource], patience: .ignores, wait: true)
            }
        }
        // The last answer is in the cache once its sync has ended.
        while engine.states.first(where: { $0.resource == resource })?.phase == .syncing {
            guard try await watcher.next() != nil else { return }
        }
    }
}
