import Cache
import FoundationEssentials
import HTTPClient
import Logging
import Model
import Services
import Settings
import SyncCore
import SyncEngine
import Synchronization

/// The services that the settings describe, or their stand-ins.
struct Upstreams: Sendable {
    let users: UsersService
    let facts: FactsService
    let pictures: PicturesService
    private let settings: Settings

    /// - Parameters:
    ///   - token: receives the token of users, to keep it out of messages.
    ///   - now: the wall clock, to interpret dates in answers.
    ///   - see: called with each answer except pictures.
    init(
        _ settings: Settings, _ source: Source, token: OwnToken, recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp, logger: Logger,
        seeing see: (@Sendable (HTTPResponse) -> Void)? = nil
    ) throws {
        self.settings = settings
        let transport: @Sendable (HTTPLimits) -> HTTPTransport
        switch source {
        case .mock(let behavior):
            (users, facts, pictures) = (.mock(behavior), .mock(behavior), .mock(behavior))
            return
        case .http(let http): transport = http
        }
        var limits = HTTPLimits(
            connectTimeout: settings.http.connectTimeout, deadline: settings.http.deadline,
            maxResponseBytes: settings.http.maxResponseBytes)
        let http = transport(limits).seen(by: see)
        limits.connectionsPerHost = 4
        let pictureHTTP = transport(limits)
        let tokenFile = settings.users.tokenFile
        users = .live(
            transport: http,
            settings: UpstreamSettings(
                url: try url(settings.users.url), query: settings.users.query,
                pageSize: settings.users.pageSize, pages: settings.users.pages),
            bearerToken: {
                guard let tokenFile else { return nil }
                let (token, warnings) = try Secret.read(.token, fromFile: tokenFile)
                for warning in warnings { logger.warning("\(warning)") }
                return token.value
            }, token: token, recorder: recorder, now: now)
        facts = .live(
            transport: http,
            settings: UpstreamSettings(url: try url(settings.facts.url), pageSize: settings.facts.pageSize),
            one: try url(settings.facts.oneURL), token: token, recorder: recorder, now: now)
        pictures = .live(
            transport: pictureHTTP, upstream: try url(settings.users.url), token: token, recorder: recorder,
            now: now)
    }

    var pictureSizes: Set<PictureSize> {
        switch settings.users.pictures {
        case .none: []
        case .thumbnail: [.thumbnail]
        case .all: Set(PictureSize.allCases)
        }
    }

    /// - Parameter landed: called after each commit of users.
    func plans(
        into cache: Cache, now: @escaping @Sendable () -> Timestamp, landed: @escaping @Sendable () -> Void
    ) -> [SyncPlan] {
        [
            .users(
                users, into: cache.writer, schedule: schedule(settings.users.interval),
                removals: RemovalGuard(limit: settings.users.removalGuard), landed: landed),
            .facts(
                facts, into: cache.writer, schedule: schedule(settings.facts.interval),
                maximum: settings.facts.maxCount, now: now),
        ]
    }

    private func schedule(_ interval: Duration) -> Schedule {
        Schedule(interval: interval, retryBase: settings.retry.base, retryCap: settings.retry.cap)
    }
}

/// Where answers come from; does not change while userd runs.
enum Source: Sendable {
    case http(@Sendable (HTTPLimits) -> HTTPTransport)
    case mock(MockBehavior)

    static func upstreams(_ clients: HTTPClients) -> Source {
        .http { clients.client($0).transport }
    }

    static func recording(_ replay: Replay) -> Source {
        .http { limits in
            replay.transport(maxResponseBytes: limits.maxResponseBytes)
                .answeringInFull(within: limits.deadline)
        }
    }
}

extension MockBehavior {
    init(_ setting: Settings.Mock) {
        switch setting {
        case .data: self = .data
        case .empty: self = .empty
        case .error: self = .error
        case .hang: self = .hang
        }
    }
}

/// One client for each set of limits so far: a running sync keeps its own when the settings change.
final class HTTPClients: Sendable {
    private let clients = Mutex<[HTTPLimits: LiveHTTP]>([:])
    private let recorder: Recorder?

    init(recorder: Recorder? = nil) { self.recorder = recorder }

    func client(_ limits: HTTPLimits) -> LiveHTTP {
        clients.withLock { clients in
            if let client = clients[limits] { return client }
            let client = LiveHTTP(limits: limits, userAgent: "userd/\(version)", recorder: recorder)
            clients[limits] = client
            return client
        }
    }

    /// Returns within half a second. A client waits for a running handshake, which with a silent server lasts until the
    /// connect timeout; such a client is left to the end of the program.
    func shutdown() async {
        let clients = clients.withLock { $0.values.map(\.self) }
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        Task {
            await withDiscardingTaskGroup { group in
                for client in clients { group.addTask { try? await client.shutdown() } }
            }
            end.finish()
        }
        let limit = Task {
            try await Task.sleep(for: .milliseconds(500))
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}

extension HTTPTransport {
    fileprivate func seen(by see: (@Sendable (HTTPResponse) -> Void)?) -> HTTPTransport {
        guard let see else { return self }
        return HTTPTransport { request in
            let response = try await send(request)
            see(response)
            return response
        }
    }
}

func url(_ text: String) throws -> URL {
    guard let url = URL(httpAddress: text) else { throw ExitError(description: "not an address: \(text)") }
    return url
}
