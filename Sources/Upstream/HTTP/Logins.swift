import Model
import Synchronization

/// A password from a file.
package struct Password: Sendable {
    package var value: String
    /// Differs between versions of the file; nil for a password that has none. Never derived from the password.
    package var version: String?

    package init(_ value: String, version: String? = nil) { (self.value, self.version) = (value, version) }
}

/// The last login of an account with a password.
package struct LoginRecord: Hashable, Sendable, Codable {
    package enum Outcome: String, Sendable, Codable { case sent, refused, accepted }

    var outcome: Outcome
    /// The password's version.
    var version: String?
    package var at: Timestamp
    /// The server's answer to a login that it did not accept.
    var reason: String?
}

/// Keeps userd from sending a password again that the server has not accepted, since a few wrong logins lock an account.
/// All connections of a process share one.
package final class Logins: Sendable {
    /// The records outlive the process. The closures block.
    package struct Store: Sendable {
        /// By account.
        package var read: @Sendable () -> [String: LoginRecord]
        /// Nil removes the record.
        package var write: @Sendable (_ account: String, LoginRecord?) -> Void

        package init(
            read: @escaping @Sendable () -> [String: LoginRecord],
            write: @escaping @Sendable (_ account: String, LoginRecord?) -> Void
        ) {
            (self.read, self.write) = (read, write)
        }

        package static let none = Store(read: { [:] }, write: { _, _ in })
    }

    private struct Known {
        var record: LoginRecord
        var password: String
        /// Logins with an accepted password that have no answer yet.
        var unanswered: [Timestamp] = []
    }

    private let known = Mutex<[String: Known]>([:])
    private let store: Store
    fileprivate let now: @Sendable () -> Timestamp
    private let turn = Mutex(())

    fileprivate static let unansweredLogins = 3
    fileprivate static let rest = Duration.seconds(6 * 3600)

    package init(store: Store = .none, now: @escaping @Sendable () -> Timestamp) {
        (self.store, self.now) = (store, now)
    }

    /// - Parameters:
    ///   - account: the server and the name that logs in.
    ///   - interval: the time from one regular sync to the next.
    package func login(_ account: String, _ password: Password, interval: Duration) -> Login {
        Login(logins: self, account: account, password: password, interval: interval)
    }

    /// A person asks for a sync: a password that rests is sent once more.
    package func forget(_ account: String) {
        known.withLock { known in
            guard let record = known[account]?.record ?? store.read()[account] else { return }
            known[account]?.unanswered = []
            guard record.outcome != .accepted else { return }
            known[account] = nil
            store.write(account, nil)
        }
    }

    /// Logs in, one thread after the other until the password is accepted.
    package func inTurn<Value>(_ login: Login, _ work: () throws -> Value) throws -> Value {
        login.isAccepted ? try work() : try turn.withLock { _ in try work() }
    }

    // MARK: Logins

    fileprivate func record(of login: Login) -> LoginRecord? {
        known.withLock { record(of: login, $0[login.account]) }
    }

    /// The record of the same password; another process may have written a newer one.
    private func record(of login: Login, _ known: Known?) -> LoginRecord? {
        let stored = store.read()[login.account]
        if let known, known.record.at >= stored?.at ?? known.record.at {
            return known.password == login.password.value ? known.record : nil
        }
        guard let stored, stored.version != nil, stored.version == login.password.version else { return nil }
        return stored
    }

    /// Notes that the password is sent. Throws while it rests.
    fileprivate func send(_ login: Login) throws(UpstreamError) {
        let failure: UpstreamError? = known.withLock { known in
            let (before, now) = (known[login.account], now())
            if let record = record(of: login, before) {
                if let failure = login.rest(of: record, now) { return failure }
                if record.outcome == .accepted {
                    let recent = (before?.unanswered ?? []).filter { login.isRecent($0, now) }
                    guard recent.count < Self.unansweredLogins else { return login.unanswered }
                    known[login.account] = Known(
                        record: record, password: login.password.value, unanswered: recent + [now])
                    return nil
                }
            }
            set(LoginRecord(outcome: .sent, version: login.password.version, at: now), login, &known)
            return nil
        }
        if let failure { throw failure }
    }

    fileprivate func end(_ login: Login, _ outcome: LoginRecord.Outcome, _ reason: String?) {
        known.withLock { known in
            if outcome == .accepted, record(of: login, known[login.account])?.outcome == .accepted {
                known[login.account]?.unanswered = []
                return
            }
            set(
                LoginRecord(outcome: outcome, version: login.password.version, at: now(), reason: reason),
                login, &known)
        }
    }

    /// The password did not leave this machine.
    fileprivate func withdraw(_ login: Login) {
        known.withLock { known in
            if record(of: login, known[login.account])?.outcome == .accepted {
                _ = known[login.account]?.unanswered.popLast()
            } else {
                known[login.account] = nil
                store.write(login.account, nil)
            }
        }
    }

    private func set(_ record: LoginRecord, _ login: Login, _ known: inout [String: Known]) {
        known[login.account] = Known(record: record, password: login.password.value)
        store.write(login.account, record)
    }
}

/// One login with a password.
package final class Login {
    private let logins: Logins
    fileprivate let account: String
    package let password: Password
    private let interval: Duration
    /// Whether the password has been sent without having been accepted: nothing may send it again for now.
    package private(set) var isSpent = false

    fileprivate init(logins: Logins, account: String, password: Password, interval: Duration) {
        (self.logins, self.account, self.password, self.interval) = (logins, account, password, interval)
    }

    package var isAccepted: Bool { logins.record(of: self)?.outcome == .accepted }

    /// Throws while the password rests.
    package func check() throws(UpstreamError) {
        if let record = logins.record(of: self), let failure = rest(of: record, logins.now()) {
            throw failure
        }
    }

    /// Call before the password is sent. Throws while it rests.
    package func send() throws(UpstreamError) {
        try logins.send(self)
        isSpent = !isAccepted
    }

    package func accepted() {
        logins.end(self, .accepted, nil)
        isSpent = false
    }

    /// The server answered something else. That is no failed login if it accepted the password before.
    package func answered(_ reason: String) {
        if isAccepted { accepted() } else { logins.end(self, .sent, reason) }
    }

    package func refused(_ reason: String) { logins.end(self, .refused, reason) }

    /// The password did not leave this machine after all.
    package func withdraw() { logins.withdraw(self) }

    fileprivate func rest(of record: LoginRecord, _ now: Timestamp) -> UpstreamError? {
        switch record.outcome {
        case .accepted: nil
        case .refused where .zero..<Logins.rest ~= now - record.at:
            UpstreamError(
                .credentials,
                """
                \(record.reason ?? "\(account) refused the password"); userd sends the same password again after six hours, \
                or when you run `userctl retry users`, because repeated attempts lock an account
                """)
        case .sent where isRecent(record.at, now):
            UpstreamError(
                .credentials,
                """
                \(record.reason ?? "\(server) did not answer the last login"), and the password was never accepted; userd \
                sends it again at the next regular sync, or when you run `userctl retry users`, because repeated attempts \
                lock an account
                """)
        case .refused, .sent: nil
        }
    }

    fileprivate var unanswered: UpstreamError {
        UpstreamError(
            .credentials,
            """
            \(server) did not answer \(Logins.unansweredLogins) logins; userd sends the password again at the next \
            regular sync, or when you run `userctl retry users`
            """)
    }

    private var server: Substring { account.prefix { $0 != " " } }

    /// Regular syncs are at least nine tenths of an interval apart.
    fileprivate func isRecent(_ time: Timestamp, _ now: Timestamp) -> Bool {
        .zero..<(interval * 9 / 10) ~= now - time
    }
}
