import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import LDAP
import Logging
import Model
import Synchronization
import UnixSignals
import Upstream
import UserdAPI

/// Tries each upstream with the settings and services of a sync, and with the smallest request that tells
/// enough.
struct UpstreamCheckup {
    private let settings: Settings
    private let clients: HTTPClients
    private let unsaved = UnsavedTokens()
    private let logger: Logger
    private let formats: Formats
    private let secrets: (SecretLog, Logins)

    /// The number of users that are shown.
    private static let shown = 3

    static func run(_ settings: Settings, logger: Logger) async throws -> UpstreamChecks {
        if settings.asksNobody(isService: false, cachesDemo: false) {
            throw ExitError(description: "userd asks no upstream: \(Failure.notConnected.message)", code: 64)
        }
        let clients = HTTPClients()
        let checkup = UpstreamCheckup(settings: settings, clients: clients, logger: logger)
        let unsaved = checkup.unsaved
        // Ctrl-C ends userd once a renewal of the sign-in that has begun is over: its refresh token is spent.
        let endings = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let ending = Task {
            for await signal in endings {
                if unsaved.isRenewing { say("it ends once the new tokens are kept", .notice) }
                await unsaved.settleAtEnd()
                _exit(128 + signal.rawValue)
            }
        }
        defer { ending.cancel() }
        let checks: Result<UpstreamChecks, any Error>
        do { checks = .success(try await checkup.checks()) } catch { checks = .failure(error) }
        await unsaved.settleAtEnd()
        await clients.shutdown()
        return try checks.get()
    }

    private init(settings: Settings, clients: HTTPClients, logger: Logger) {
        var settings = settings
        // A few records do not show whether a configured format fits.
        formats = Formats(settings)
        if formats.users == nil { (settings.users.pageSize, settings.users.pages) = (Self.shown, 1) }
        settings.facts.pageSize = 1
        let log = SecretLog(beside: settings.database)
        secrets = (log, log.logins(now: { Timestamp(Date()) }))
        self.settings = settings
        self.clients = clients
        self.logger = logger
    }

    private func checks() async throws -> UpstreamChecks {
        let facts = try url(settings.facts.url)
        let oneFact = try settings.facts.oneURL.map(url).flatMap {
            HTTPOrigin($0) == HTTPOrigin(facts) ? nil : $0
        }
        let upstreams = try upstreams(logger: logger)
        async let usersCheck =
            if let directory = upstreams.directory {
                try await checkUsers(directory, upstreams.users)
            } else {
                try await checkUsers(url(settings.users.url))
            }
        guard settings.hasFacts else { return UpstreamChecks(upstreams: [try await usersCheck]) }
        async let factsCheck = check("facts.url", facts) { _ = try await $0.facts.fetchPage(.first, nil) }
        // The same server is tried only once.
        var oneFactCheck: [UpstreamCheck] = []
        if let oneFact {
            oneFactCheck = [try await check("facts.one_url", oneFact) { _ = try await $0.facts.fetchOne() }]
        }
        return UpstreamChecks(upstreams: try await [usersCheck, factsCheck] + oneFactCheck)
    }

    private func checkUsers(_ url: URL) async throws -> UpstreamCheck {
        let lastAnswer = LastAnswer()
        var check = try await check("users.url", url, lastAnswer) { upstreams in
            try await read(upstreams.users.fetchPage, lastAnswer)
        }
        // If the page can't be decoded, its content may say why.
        check.sample = sample(lastAnswer, survey(lastAnswer))
        return check
    }

    /// Checks a directory over LDAP, whose pages lack attributes that were not requested.
    private func checkUsers(
        _ directory: LDAPDirectory, _ users: UsersService
    ) async throws -> UpstreamCheck {
        let (address, lastAnswer) = (directory.address, LastAnswer())
        var check = UpstreamCheck(setting: "users.url", address: address.server)
        check.request = directory.request
        var survey: FormatSurvey?
        do {
            // A URL of only host and port.
            if let place = address.place.flatMap(URL.init(httpAddress:)) {
                try await check.reach(UpstreamProbe(url: place, timeout: settings.http.connectTimeout))
            }
            if directory.isEncrypted {
                try await check.step(.tls) {
                    try await directory.encrypt()
                    return "the certificate is trusted"
                }
            }
            try await check.step(.answer) {
                try await read(users.fetchPage, lastAnswer)
                // No part of a sync.
                survey = try? await directory.survey(
                    of: lastAnswer.found.withLock { $0.list?.pages.first } ?? 1)
                return "answered"
            }
        } catch is UpstreamError {
            // The failed step has recorded it.
        }
        check.sample = sample(lastAnswer, survey)
        return check
    }

    private func survey(_ lastAnswer: LastAnswer) -> FormatSurvey? {
        formats.users.flatMap { format in lastAnswer.body.flatMap { FormatSurvey(format, of: $0) } }
    }

    /// Reads the first pages of the list, and keeps what it finds in `lastAnswer`. Throws what a sync would fail with.
    private func read(_ fetch: FetchPage<User>, _ lastAnswer: LastAnswer) async throws {
        let page = try await fetch(.first, nil)
        guard page.change == .read else { return }
        lastAnswer.keep()
        lastAnswer.found.withLock { $0.page = page }
        if let id = SharedIDs(in: page.records).differing {
            throw UpstreamError(
                .decode,
                "users with the id \(id.shown(upTo: 100)) have different names",
                advice: .check, about: "users.fields.id")
        }
        if page.records.isEmpty, let survey = survey(lastAnswer), survey.records > 0, !survey.findsNames {
            throw UpstreamError(
                .decode,
                "all \(survey.records) users on the page are left out: "
                    + "no pointer finds a name or an address",
                advice: .check, about: "users.fields")
        }
        if page.next == nil,
            let refusal = page.unread.refusal(distinct: page.records.count + page.leftOut.count)
        {
            throw refusal
        }
        guard let paging = formats.users?.paging else { return }
        var list = try await ListSample(of: fetch, after: page, paging)
        if paging.style == .none, let name = lastAnswer.body.flatMap(knownFormat),
            name != formats.users?.name
        {
            list.more.append("the answer looks like \(name); see users.format")
        }
        lastAnswer.found.withLock { $0.list = list }
    }

    /// Nil if no list was found.
    private func sample(_ lastAnswer: LastAnswer, _ survey: FormatSurvey?) -> UsersSample? {
        let (page, list) = lastAnswer.found.withLock { $0 }
        guard page != nil || survey != nil else { return nil }
        let unidentified = page?.unread.unidentified ?? 0
        let leftOut = (page?.leftOut.count ?? 0) + unidentified
        let shared = SharedIDs(in: page?.records ?? []).count
        let configured = formats.configuredFields
        var sample = UsersSample(
            records: survey?.records ?? (page?.records.count ?? 0) + leftOut, leftOut: leftOut,
            users: Array((page?.records ?? []).prefix(Self.shown)),
            fields: (survey?.places ?? []).map {
                .init(
                    name: $0.field.name, pointer: $0.pointer, found: $0.found,
                    unreadable: $0.unreadable,
                    isConfigured: configured.contains($0.field.name))
            }, unread: survey?.unread ?? [])
        sample.list = list
        sample.nameless = page?.unread.nameless
        sample.shared = shared > 0 ? shared : nil
        sample.unidentified = unidentified > 0 ? unidentified : nil
        sample.tooLong = page.flatMap { $0.unread.tooLong.isEmpty ? nil : $0.unread.tooLong }
        sample.reason = page?.unread.reason.map { reason in
            page?.unread.setting.map { "\(reason); see \($0)" } ?? reason
        }
        return sample
    }

    /// - Parameter logger: for the first call only, since each call logs the same.
    private func upstreams(
        _ lastAnswer: LastAnswer = LastAnswer(),
        logger: Logger = Logger(label: "") { _ in SwiftLogNoOpLogHandler() }
    ) throws -> Upstreams {
        try Upstreams(
            settings, .upstreams(clients), unsaved: unsaved, redactor: SecretRedactor(), secrets: secrets,
            now: { Timestamp(Date()) }, logger: logger, seeing: lastAnswer.see)
    }

    private func check(
        _ setting: String, _ url: URL, _ lastAnswer: LastAnswer = LastAnswer(),
        _ ask: @Sendable (Upstreams) async throws -> Void
    ) async throws -> UpstreamCheck {
        let upstreams = try upstreams(lastAnswer)
        let connections = try NetworkOptions(settings)
        let chosen = Result { try connections.proxies.proxy(for: url) }
        let proxy = try? chosen.get()
        let probe = UpstreamProbe(
            url: url, timeout: settings.http.connectTimeout, additionalTrustRoots: connections.trustRoots,
            proxy: proxy)
        var check = UpstreamCheck(setting: setting, address: url.shown)
        do {
            try await check.reach(probe) { _ = try chosen.get() }
            // Through a proxy, TLS is part of the request.
            if HTTPOrigin(url)?.isOverTLS == true, proxy == nil {
                try await check.step(.tls, probe.certificate)
            }
            defer { (check.clock, check.request) = (lastAnswer.clock, lastAnswer.request) }
            try await check.step(.answer) {
                try await ask(upstreams)
                return "answered \(lastAnswer.status.map(String.init) ?? "")"
            }
        } catch is UpstreamError {
            // The failed step has recorded it.
        }
        return check
    }
}

extension UpstreamCheck {
    /// - Parameter mayBegin: throws if no connection may be tried.
    fileprivate mutating func reach(_ probe: UpstreamProbe, mayBegin: () throws -> Void = {}) async throws {
        var reached: UpstreamProbe.Reached?
        try await step(.lookup) {
            try mayBegin()
            let found = try await probe.lookUp()
            reached = found
            return found.found
        }
        try await step(.connection) { try await probe.connect(to: reached?.addresses ?? []) }
    }

    /// - Parameter body: returns what it found, for people.
    fileprivate mutating func step(
        _ name: UpstreamStep.Name, _ body: () async throws -> String
    ) async throws {
        let start = ContinuousClock.now
        var step = UpstreamStep(name, milliseconds: 0)
        defer {
            step.milliseconds = (ContinuousClock.now - start).milliseconds
            steps.append(step)
        }
        do { step.found = try await body() } catch let error as UpstreamError {
            step.failure = error.failure.advised(at: name, error.setting ?? setting)
            throw error
        }
    }
}

/// The last answer over a transport, until one is kept.
private final class LastAnswer: Sendable {
    private let last = Mutex<(request: HTTPRequest, response: HTTPResponse, at: Timestamp)?>(nil)
    private let isKept = Atomic(false)
    /// The first page of users, and the end of their list.
    let found = Mutex<(page: Page<User>?, list: ListSample?)>((nil, nil))

    @Sendable func see(_ request: HTTPRequest, _ response: HTTPResponse) {
        if !isKept.load(ordering: .relaxed) { last.withLock { $0 = (request, response, Timestamp(Date())) } }
    }

    func keep() { isKept.store(true, ordering: .relaxed) }

    var body: [UInt8]? { last.withLock { $0?.response.body } }

    /// The first request; values that may be secret are `REDACTED`.
    var request: String? {
        last.withLock { $0?.request }.map {
            "\($0.method) \($0.url.recorded(keeping: $0.recordedParameters).absoluteString)"
        }
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
