import DirectoryFormats
import FoundationEssentials
import HTTPClient
import Logging
import Model
import Services
import Settings
import Synchronization

/// Tries each upstream with the settings and the services that a sync uses, with the smallest request that tells enough.
struct UpstreamCheckup {
    private let settings: Settings
    private let clients: HTTPClients
    private let logger: Logger
    private let formats: Formats

    /// Users that are shown.
    private static let shown = 3

    static func run(_ settings: Settings, logger: Logger) async throws -> UpstreamChecks {
        let clients = HTTPClients()
        let checkup = UpstreamCheckup(settings: settings, clients: clients, logger: logger)
        let checks: Result<UpstreamChecks, any Error>
        do { checks = .success(try await checkup.checks()) } catch { checks = .failure(error) }
        await clients.shutdown()
        return try checks.get()
    }

    private init(settings: Settings, clients: HTTPClients, logger: Logger) {
        var settings = settings
        // Of a format that somebody writes, more than a few records show whether it fits.
        formats = Formats(settings)
        if formats.users == nil { settings.users.pageSize = Self.shown }
        settings.users.pages = 1
        settings.facts.pageSize = 1
        self.settings = settings
        self.clients = clients
        self.logger = logger
    }

    private func checks() async throws -> UpstreamChecks {
        let (users, facts) = (try url(settings.users.url), try url(settings.facts.url))
        let oneFact = try settings.facts.oneURL.map(url).flatMap { one in
            (one.host(), one.effectivePort) == (facts.host(), facts.effectivePort) ? nil : one
        }
        async let usersCheck = checkUsers(users)
        async let factsCheck = check("facts.url", facts) { _ = try await $0.facts.fetchPage(.first, nil) }
        // The same server is tried only once.
        var oneFactCheck: [UpstreamCheck] = []
        if let oneFact {
            oneFactCheck = [try await check("facts.one_url", oneFact) { _ = try await $0.facts.fetchOne() }]
        }
        return UpstreamChecks(upstreams: try await [usersCheck, factsCheck] + oneFactCheck)
    }

    private func checkUsers(_ url: URL) async throws -> UpstreamCheck {
        let answers = Answers()
        let found = Mutex<Page<User>?>(nil)
        var check = try await check("users.url", url, answers) { upstreams in
            guard case .page(let page) = try await upstreams.users.fetchPage(.first, nil) else { return }
            found.withLock { $0 = page }
        }
        let page = found.withLock { $0 }
        // Of a page that can't be decoded, what it holds may say why.
        let survey = formats.users.flatMap { format in answers.body.flatMap { FormatSurvey(format, of: $0) } }
        guard page != nil || survey != nil else { return check }
        let leftOut = page?.leftOut.count ?? 0
        let configured = formats.configuredFields
        check.sample = UsersSample(
            records: survey?.records ?? (page?.records.count ?? 0) + leftOut, leftOut: leftOut,
            users: Array((page?.records ?? []).prefix(Self.shown)),
            fields: (survey?.places ?? []).map {
                .init(
                    name: $0.field.rawValue, pointer: $0.pointer, found: $0.found,
                    isConfigured: configured.contains($0.field.rawValue))
            }, unread: survey?.unread ?? [])
        return check
    }

    private func check(
        _ setting: String, _ url: URL, _ answers: Answers = Answers(),
        _ ask: @Sendable (Upstreams) async throws -> Void
    ) async throws -> UpstreamCheck {
        let upstreams = try Upstreams(
            settings, .upstreams(clients), token: OwnToken(), now: { Timestamp(Date()) }, logger: logger,
            seeing: answers.see)
        let connections = try Connections(settings)
        let proxy = connections.proxies.proxy(for: url)
        let probe = UpstreamProbe(
            url: url, timeout: settings.http.connectTimeout, additionalTrustRoots: connections.trustRoots,
            proxy: proxy)
        var check = UpstreamCheck(setting: setting, address: url.shown)
        do {
            let addresses = try await check.step(.lookup) {
                let reached = try await probe.lookUp()
                return (reached.found, reached.addresses)
            }
            try await check.step(.connection) { (try await probe.connect(to: addresses), ()) }
            // Through a proxy, TLS is part of the request.
            if url.isOverTLS, proxy == nil {
                try await check.step(.tls) { (try await probe.shakeHands(), ()) }
            }
            defer { check.clock = answers.clock }
            try await check.step(.answer) {
                try await ask(upstreams)
                return ("answered \(answers.status.map(String.init) ?? "")", ())
            }
        } catch is UpstreamError {
            // The failed step has recorded it.
        }
        return check
    }
}

extension UpstreamCheck {
    fileprivate mutating func step<Value>(
        _ name: UpstreamStep.Name, _ body: () async throws -> (found: String, value: Value)
    ) async throws -> Value {
        let start = ContinuousClock.now
        var elapsed: Int64 { (ContinuousClock.now - start).milliseconds }
        do {
            let (found, value) = try await body()
            steps.append(UpstreamStep(name, found: found, milliseconds: elapsed))
            return value
        } catch let error as UpstreamError {
            steps.append(UpstreamStep(name, failure: error.failure, milliseconds: elapsed))
            throw error
        }
    }
}

/// The last answer over a transport.
private final class Answers: Sendable {
    private let last = Mutex<(response: HTTPResponse, at: Timestamp)?>(nil)

    @Sendable func see(_ response: HTTPResponse) {
        last.withLock { $0 = (response, Timestamp(Date())) }
    }

    var body: [UInt8]? { last.withLock { $0?.response.body } }

    var status: Int? { last.withLock { $0?.response.status } }

    /// `Age` tells how long a cache on the way has held the answer (RFC 9111, section 5.1).
    var clock: ClockComparison? {
        last.withLock { last in
            guard let last, let date = last.response.headers["Date"].flatMap(Timestamp.init(httpDate:)) else {
                return nil
            }
            let age = last.response.headers["Age"].flatMap { Int($0) }.map { min(max($0, 0), 86_400) } ?? 0
            return ClockComparison(here: last.at, upstream: date + .seconds(age))
        }
    }
}
