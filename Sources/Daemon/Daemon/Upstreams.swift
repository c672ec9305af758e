import Cache
import FoundationEssentials
import HTTP
import HTTPClient
import LDAP
import Logging
import Model
import Sync
import Upstream
import UserdAPI

/// The services that the settings describe, or their stand-ins.
struct Upstreams: Sendable {
    private(set) var users: UsersService
    private(set) var facts: FactsService
    private(set) var pictures: PicturesService
    /// Nil if users are not fetched over LDAP.
    let directory: LDAPDirectory?
    /// Nil if there is neither signing in nor out, as for stand-ins.
    private(set) var signIn: SignInService?
    private let settings: Settings
    private let logger: Logger
    private let asksNobody: Bool

    /// - Parameters:
    ///   - asksNobody: makes services that fail without a request.
    ///   - unsaved: what the process knows of tokens and the disk does not.
    ///   - redactor: receives the token of users, to keep it out of messages.
    ///   - secrets: decides whether secrets may be sent.
    ///   - now: the wall clock, to interpret dates in answers.
    ///   - survey: notes the shape of the list of users.
    ///   - see: called with each answer except pictures.
    init(
        _ settings: Settings, _ source: Source, asksNobody: Bool = false, unsaved: UnsavedTokens,
        redactor: SecretRedactor,
        secrets: (log: SecretLog, logins: Logins),
        recorder: Recorder? = nil, survey: ListSurvey? = nil, now: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        seeing see: (@Sendable (HTTPRequest, HTTPResponse) -> Void)? = nil
    ) throws {
        (self.settings, self.asksNobody, self.logger) = (settings, asksNobody, logger)
        if case .mock(let behavior) = source {
            let samples = User.samples.map { $0.omitting(settings.users.omittedFields) }
            (users, facts, pictures) = (.mock(behavior, users: samples), .mock(behavior), .mock(behavior))
            directory = nil
            return
        }
        let routes = try source.routes(settings, redactor)
        let http = routes.usual.transport.seen(by: see)
        // A replay needs no authorization, and a recording has no answers of token endpoints.
        let client = source.isRecording ? nil : try OAuthClient(settings, logger: logger)
        signIn = try client.flatMap {
            try SignInService(
                settings, $0, transport: http, unsaved: unsaved, redactor: redactor, now: now)
        }
        let authorization = try client.map { [signIn] in
            try Authorization(
                settings, $0, transport: http, redactor: redactor, logins: secrets.logins,
                signIn: signIn, now: now, logger: logger)
        }
        let formats = Formats(settings)
        facts = .live(
            try .facts(of: settings, formats), transport: http, one: try settings.facts.oneURL.map(url),
            redactor: redactor, recorder: recorder, now: now)
        directory = try LDAPSettings(settings, formats.users, logger: logger).map {
            LDAPDirectory(
                $0, redactor: redactor, logins: secrets.logins, now: now, logger: logger)
        }
        if let directory {
            (users, pictures) = (UsersService.ldap(directory), PicturesService.ldap(directory))
            if let survey { users.fetchPage = survey.surveying(users.fetchPage) }
            if !source.isRecording { withhold(secrets.log.misdirection(settings)) }
            return
        }
        let (format, requests) = (
            try formats.users ?? settings.users.defaultFormat, try Self.requests(settings)
        )
        // A recording has the answers of one list.
        let changes =
            recorder == nil && !source.isRecording ? ChangesReader(format, requests, now: now) : nil
        let pages = PageReader.users(format, changes?.listSettings ?? requests, now: now)
        users = .live(
            pages, changes: changes, identity: Setting.users(of: settings),
            probe: ServiceProviderConfig(of: pages), transport: http.seen(by: survey?.see),
            authorization: authorization ?? .none, redactor: redactor, recorder: recorder, now: now)
        if let survey { users.fetchPage = survey.surveying(users.fetchPage) }
        pictures = .live(
            transport: routes.pictures.transport, upstream: try url(settings.users.url),
            rule: routes.pictures.redirects, redactor: redactor, recorder: recorder, now: now)
        if asksNobody {
            refuseAll()
        } else if !settings.namesDirectory, settings.demo == true {
            users.source += Self.agreed
        }
        guard !source.isRecording else { return }
        let open = recordedParameters.union(pages.parameters)
        let hasSecret = QueryParameters(settings.users.query).all.contains { !open.contains($0.name) }
        withhold(
            secrets.log.misdirection(settings) ?? (hasSecret ? settings.queryMisdirection : nil))
    }

    private static func requests(_ settings: Settings) throws -> UpstreamSettings {
        UpstreamSettings(
            url: try url(settings.users.url), query: settings.users.query,
            pageSize: settings.users.pageSize, pages: settings.users.pages, body: settings.users.requestBody)
    }

    private mutating func refuseAll() {
        let error = UpstreamError(.notConnected)
        (users, pictures) = (UsersService { _, _ in throw error }, PicturesService { _, _ in throw error })
        facts = FactsService(fetchPage: { _, _ in throw error }, fetchOne: { throw error })
    }

    /// Sends nothing with secrets. Reads go on.
    private mutating func withhold(_ reason: String?) {
        guard let reason else { return }
        let error = UpstreamError(.credentials, reason, advice: .checkSecrets)
        users.fetchPage = { _, _ in throw error }
        users.changes = nil
        if directory != nil { pictures = PicturesService { _, _ in throw error } }
        // Signing out sends nothing: tokens that belong to other settings are only forgotten.
        signIn?.signIn = { _, _ in throw error }
    }

    var pictureSizes: Set<PictureSize> {
        switch settings.users.pictures {
        case .none: []
        case .thumbnail: [.thumbnail]
        case .all: Set(PictureSize.allCases)
        }
    }

    /// The source of the demo's users whom nobody has agreed to.
    static let demoSource =
        URL(httpAddress: Settings().users.url).map { UsersService.source(format: "randomuser", $0) } ?? ""

    /// The end of the source of users whom somebody has agreed to by `demo: true`: without it, they are no longer fetched.
    private static let agreed = " demo"

    /// Sources whose users may be removed without confirmation: the demo and a mock.
    private static let replaceableSources: Set = [
        UsersService.mockSource, demoSource, demoSource + agreed,
    ]

    /// The plans of the resources that are on.
    /// - Parameter afterCommit: called after each commit of users.
    func plans(
        into cache: Cache, now: @escaping @Sendable () -> Timestamp,
        afterCommit: @escaping @Sendable () -> Void
    ) -> [SyncPlan] {
        var users = SyncPlan.users(
            self.users, into: cache.writer, schedule: usersSchedule,
            removals: RemovalGuard(limit: settings.users.removalGuard),
            replaceable: Self.replaceableSources, fullInterval: settings.users.fullInterval, logger: logger,
            afterCommit: afterCommit)
        if let signIn, signIn.canSignIn { users.waitsForPerson = signIn.isSignedOut }
        users.isScheduled = !asksNobody
        guard settings.hasFacts else { return [users] }
        var facts = SyncPlan.facts(
            facts, into: cache.writer, schedule: schedule(settings.facts.interval),
            maximum: settings.facts.maxCount, now: now)
        facts.isScheduled = !asksNobody
        return [users, facts]
    }

    private var usersSchedule: Schedule {
        var schedule = schedule(settings.users.usualInterval)
        if settings.users.interval == nil { schedule.trustedInterval = .seconds(3600) }
        return schedule
    }

    private func schedule(_ interval: Duration) -> Schedule {
        Schedule(interval: interval, retryBase: settings.retry.base, retryCap: settings.retry.cap)
    }
}

/// The origin of answers. It does not change while userd runs.
enum Source: Sendable {
    case upstreams(HTTPClients)
    case recording(Replay)
    case mock(MockBehavior)

    fileprivate var isRecording: Bool {
        if case .recording = self { true } else { false }
    }

    fileprivate typealias Route = (transport: HTTPTransport, redirects: RedirectRule)

    /// How requests are answered. Pictures have more connections.
    fileprivate func routes(
        _ settings: Settings, _ redactor: SecretRedactor
    ) throws -> (usual: Route, pictures: Route) {
        let usual = HTTPLimits(
            connectTimeout: settings.http.connectTimeout, deadline: settings.http.deadline,
            maxResponseBytes: settings.http.maxResponseBytes)
        var pictures = usual
        pictures.connectionsPerHost = 4
        switch self {
        case .mock: preconditionFailure("a mock sends no requests")
        case .upstreams(let clients):
            let connections = try NetworkOptions(settings)
            for proxy in connections.proxies.all { proxy.password.map(redactor.learn) }
            func route(_ limits: HTTPLimits) -> Route {
                let client = clients.client(limits, connections)
                return (client.transport, client.redirects)
            }
            return (route(usual), route(pictures))
        case .recording(let replay):
            let redirects = RedirectRule(isExempt: replay.holds)
            let transport = replay.transport(maxResponseBytes: usual.maxResponseBytes)
                .answeringInFull(within: usual.deadline, redirects: redirects)
            return ((transport, redirects), (transport, redirects))
        }
    }
}

extension PageReader<FactReader> {
    fileprivate static func facts(of settings: Settings, _ formats: Formats) throws -> PageReader {
        facts(
            try formats.facts ?? .builtIn("catfact"),
            UpstreamSettings(url: try url(settings.facts.url), pageSize: settings.facts.pageSize))
    }
}

extension HTTPTransport {
    fileprivate func seen(by see: (@Sendable (HTTPRequest, HTTPResponse) -> Void)?) -> HTTPTransport {
        guard let see else { return self }
        return HTTPTransport { request in
            let response = try await send(request)
            see(request, response)
            return response
        }
    }
}

func url(_ text: String) throws -> URL {
    guard let url = URL(httpAddress: text) else { throw ExitError(description: "not an address: \(text)") }
    return url
}
