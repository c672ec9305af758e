import FoundationEssentials
import HTTPClient
import Logging
import Model
import Services
import Settings
import Synchronization

/// Tries each upstream with the settings and the services that a sync uses, with the smallest request.
struct UpstreamCheckup {
    private let settings: Settings
    private let clients: HTTPClients
    private let logger: Logger

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
        settings.users.pageSize = 1
        settings.users.pages = 1
        settings.facts.pageSize = 1
        self.settings = settings
        self.clients = clients
        self.logger = logger
    }

    private func checks() async throws -> UpstreamChecks {
        let (users, facts) = (try url(settings.users.url), try url(settings.facts.url))
        let oneFact = try url(settings.facts.oneURL)
        let isElsewhere = (oneFact.host(), oneFact.effectivePort) != (facts.host(), facts.effectivePort)
        async let usersCheck = check("users.url", users) { _ = try await $0.users.fetchPage(.first, nil) }
        async let factsCheck = check("facts.url", facts) { _ = try await $0.facts.fetchPage(.first, nil) }
        // The same server is tried only once.
        let oneFactCheck =
            isElsewhere
            ? [try await check("facts.one_url", oneFact) { _ = try await $0.facts.fetchOne() }] : []
        return UpstreamChecks(upstreams: try await [usersCheck, factsCheck] + oneFactCheck)
    }

    private func check(
        _ setting: String, _ url: URL, _ ask: @Sendable (Upstreams) async throws -> Void
    ) async throws -> UpstreamCheck {
        let answers = Answers()
        let upstreams = try Upstreams(
            settings, .upstreams(clients), token: OwnToken(), now: { Timestamp(Date()) }, logger: logger,
            seeing: answers.see)
        let probe = UpstreamProbe(url: url, timeout: settings.http.connectTimeout)
        var check = UpstreamCheck(setting: setting, address: url.shown)
        do {
            let addresses = try await check.step(.lookup) {
                let reached = try await probe.lookUp()
                return (reached.found, reached.addresses)
            }
            try await check.step(.connection) { (try await probe.connect(to: addresses), ()) }
            if url.isOverTLS { try await check.step(.tls) { (try await probe.shakeHands(), ()) } }
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
