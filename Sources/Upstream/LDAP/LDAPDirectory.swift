import HTTP
import Logging
import Model
import Synchronization
import Upstream

/// A directory over LDAP: reads its list of users page by page, and single photos.
package final class LDAPDirectory: Sendable {
    let settings: LDAPSettings
    let reader: EntryReader
    private let redactor: SecretRedactor
    let now: @Sendable () -> Timestamp
    private let logger: Logger
    let list = BlockingThread()
    private let photos = BlockingThread()
    private let logins: Logins
    private let route = Mutex(LDAPConnection.Route())
    /// Entries read so far of the current list.
    let entries = Atomic(0)

    /// - Parameters:
    ///   - redactor: learns the password, which is removed from messages.
    ///   - logins: decides whether the password may be sent.
    ///   - now: for users' ages.
    package init(
        _ settings: LDAPSettings, redactor: SecretRedactor, logins: Logins,
        now: @escaping @Sendable () -> Timestamp, logger: Logger
    ) {
        (self.settings, self.logins) = (settings, logins)
        (self.redactor, self.now) = (redactor, now)
        self.logger = logger
        reader = EntryReader(settings.format, within: settings.address, now: now)
    }

    /// The key of the list. It includes today's date: once a day, the list is read whatever the server says.
    /// - Parameter holder: whose ticket reads it.
    func key(of holder: String?) -> String {
        Digest.listKey(
            "\(settings.address) \(settings.format.fingerprint) \(settings.version) \(holder ?? "")",
            on: String(now().description.prefix(10)))
    }

    /// Binds what is known of changes to all that the list depends on, except the server.
    var fingerprint: String {
        Digest.changesKey(
            Digest.listKey("\(settings.address) \(settings.format.fingerprint) \(settings.version)", on: nil),
            identity: settings.credentials?.dn ?? "")
    }

    /// Reads a page of the list, or finds that the known list is current.
    /// - Parameter known: the known list, for the first page.
    func page(_ request: PageRequest, _ known: KnownPage?) async throws -> Page<User> {
        let (answer, references) = try await onThread(
            list,
            what: { [self] in
                let count = entries.load(ordering: .relaxed)
                return count > 0 ? ": \(count) entries had arrived" : ""
            }
        ) { [self] held, cancellable -> (page: Page<User>, references: Int) in
            if request.number == 1, try begin(&held, cancellable, known) { return (.unchangedList, 0) }
            return try page(request, &held)
        }
        if answer.change == .read, answer.next == nil, references > 0 {
            logger.notice(
                "Parts of the directory are on other servers, which userd does not search",
                metadata: ["references": "\(references)"])
        }
        return answer
    }

    /// All attributes of the first entries. It ends the list that was begun.
    package func survey(of count: Int) async throws -> FormatSurvey {
        try await onThread(list) { [self] held, cancellable in
            defer { held.drop() }
            return try survey(of: count, held.connection ?? connect(cancellable))
        }
    }

    /// The value of the first of these attributes that an entry has.
    func value(_ attributes: [String], of dn: String) async throws -> [UInt8]? {
        let entry = try await onThread(photos) { [self] held, cancellable in
            if held.connection == nil { held.connection = try connect(cancellable) }
            return try held.connection?.entry(.entry(dn, attributes))
        }
        guard let entry else {
            throw UpstreamError(.ldap, "\(address.server) no longer has \(dn.shown(upTo: 200))")
        }
        return attributes.lazy.compactMap { entry.values($0.asciiLowercased).first }.first
    }

    /// The settings for each base that the root entry names, or for that of the address (RFC 4512, section 5.1).
    package func discovered() async throws -> [DiscoveredDirectory] {
        let names = ["defaultNamingContext", "namingContexts", "supportedCapabilities", "supportedExtension"]
        let root = try await onThread(list) { [self] _, cancellable in
            try connect(cancellable).entry(.entry("", names))
        }
        let values = names.map { root?.texts($0.asciiLowercased) ?? [] }
        let bases = address.base.isEmpty ? values[0].isEmpty ? values[1] : values[0] : [address.base]
        let isActive = values[2].contains("1.2.840.113556.1.4.800")
        let startsTLS = !isEncrypted && values[3].contains("1.3.6.1.4.1.1466.20037")
        return bases.map { base in
            let url = address.text(ofBase: base) + (isActive ? activePeople : "")
            var directory = DiscoveredDirectory(
                name: isActive ? "Active Directory" : "LDAP", certainty: .sure,
                because: "the root entry of \(address.server) leads to \(base.shown(upTo: 200))",
                format: "ldap", url: url, needed: ["users.bind_dn", "users.password_file"])
            if startsTLS { directory.settings.append(DiscoveredSetting("users.starttls", "true")) }
            return directory
        }
    }

    package var address: LDAPAddress { settings.address }

    /// The search of the list, for people.
    package var request: String {
        let place = "\(address.base) (\(address.scope.rawValue))"
        return settings.format.hasOtherKinds
            ? "search the directory for \(settings.filter); persons count below \(place)"
            : "search below \(place) for \(settings.filter)"
    }

    package var isEncrypted: Bool { settings.isEncrypted }

    /// Connects over TLS without logging in.
    package func encrypt() async throws {
        var settings = settings
        settings.credentials = nil
        try await onThread(photos) { [settings] _, cancellable in
            var route = LDAPConnection.Route()
            _ = try LDAPConnection.connected(settings, cancellable, login: nil, binds: false, &route)
        }
    }

    /// Called if a person asks for a sync: a password that rests is tried once more.
    package func personAsks() { logins.forget(settings.account) }

    /// Begins with that server, unless one has been found since the start.
    func prefer(_ place: LDAPConnection.Place?) { route.withLock { $0.last = $0.last ?? place } }

    func connect(_ cancellable: CancellableSocket) throws -> LDAPConnection {
        guard let password = try LDAPConnection.password(settings) else {
            return try connect(cancellable, nil)
        }
        redactor.learn(password.value)
        let login = Login(
            logins, settings.account, password: password.value, version: password.version,
            interval: settings.interval)
        return try logins.inTurn(login) { try connect(cancellable, login) }
    }

    private func connect(_ cancellable: CancellableSocket, _ login: Login?) throws -> LDAPConnection {
        var route = route.withLock { $0 }
        do {
            let connection = try LDAPConnection.connected(settings, cancellable, login: login, &route)
            self.route.withLock { $0 = LDAPConnection.Route(last: route.last) }
            return connection
        } catch {
            if login?.rest != nil { self.route.withLock { $0 = LDAPConnection.Route(silent: route.last) } }
            throw error
        }
    }

    /// A connection that was encrypted by a ticket ends with the ticket. Throws if a new one says so.
    private func explain(_ error: any Error, _ cancellable: CancellableSocket) throws {
        guard settings.usesTicket, !cancellable.isCut, let failure = (error as? UpstreamError)?.failure,
            failure.kind == .offline
        else { return }
        do { _ = try connect(cancellable) } catch let error as UpstreamError
            where error.failure.kind == .credentials
        {
            throw error
        } catch {}
    }

    func onThread<Value: Sendable>(
        _ thread: BlockingThread, what progress: @escaping @Sendable () -> String = { "" },
        _ work: @escaping @Sendable (inout BlockingThread.OpenConnection, CancellableSocket) throws -> Value
    ) async throws -> Value {
        let settings = settings
        return try await withRedactedMessages(redactor) {
            try await thread.run(
                within: settings.deadline,
                late: {
                    UpstreamError(
                        .timeout,
                        "\(settings.address.server) has not answered in full after \(settings.deadline)\(progress())"
                    )
                }
            ) { held, cancellable in
                do { return try work(&held, cancellable) } catch {
                    let wasOpen = held.connection != nil
                    held.drop()
                    if wasOpen { try self.explain(error, cancellable) }
                    throw switch error {
                    case let error as ResultError: UpstreamError(error, from: settings.address)
                    case let error as Ticket.NoKerberosServer:
                        UpstreamError(
                            .offline, "no Kerberos server (KDC) answers: \(error.words)", advice: .checkKDC)
                    default: error
                    }
                }
            }
        }
    }
}
