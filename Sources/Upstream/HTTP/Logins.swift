import Model
import Synchronization

/// The last login of an account with a password.
package struct LoginRecord: Hashable, Sendable, Codable {
    package enum Outcome: String, Sendable, Codable { case sent, refused, accepted }

    var outcome: Outcome
    /// The version of the password's file.
    var version: String?
    var at: Timestamp
    /// The server's answer to a login that it did not accept.
    var reason: String?
}

/// Keeps userd from sending a password again that the server has not accepted, since a few wrong logins lock an account.
/// All connections of a process share one.
package final class Logins: Sendable {
    private struct Known {
        var record: LoginRecord
        var password: String
        /// Logins with an accepted password that have no answer yet.
        var unanswered: [Timestamp] = []
    }

    private let known = Mutex<[String: Known]>([:])
    private let stored: @Sendable () -> [String: LoginRecord]
    private let store: @Sendable (_ account: String, LoginRecord?) -> Void
    fileprivate let now: @Sendable () -> Timestamp
    private let turn = Mutex(())

    /// - Parameters:
    ///   - stored: records by account, which outlive the process. Blocks, as `store` does.
    ///   - store: keeps a record, or removes it.
    package init(
        stored: @escaping @Sendable () -> [String: LoginRecord] = { [:] },
        store: @escaping @Sendable (_ account: String, LoginRecord?) -> Void = { _, _ in },
        now: @escaping @Sendable () -> Timestamp
    ) {
        (self.stored, self.store, self.now) = (stored, store, now)
    }

    /// A person asks for a sync: a password that rests is sent once more.
    package func forget(_ account: String) {
        for key in [account, Login.key(ofTrial: account)] { forget(key: key) }
    }

    fileprivate func forget(key: String) {
        known.withLock { known in
            known[key]?.unanswered = []
            guard let record = known[key]?.record ?? stored()[key], record.outcome != .accepted else {
                return
            }
            known[key] = nil
            store(key, nil)
        }
    }

    /// Logs in, one thread after the other until the password is accepted.
    package func inTurn<Value>(_ login: Login, _ work: () throws -> Value) throws -> Value {
        if login.isAccepted { return try work() }
        return try turn.withLock { _ in
            if let failure = login.rest { throw failure }
            return try work()
        }
    }

    /// The record of the same password; another process may have stored a newer one.
    fileprivate func record(of login: Login) -> LoginRecord? {
        let all = stored()
        let (known, stored) = (known.withLock { $0[login.key] }, all[login.key])
        if let known, known.record.at >= stored?.at ?? known.record.at {
            if known.password == login.password { return known.record }
        } else if !login.isTrial, stored?.version != nil, stored?.version == login.version {
            return stored
        }
        let trial = all[Login.key(ofTrial: login.account)]
        // A password that was refused was not written.
        return trial.flatMap { $0.outcome != .refused && login.wasWritten(after: $0.at) ? $0 : nil }
    }

    fileprivate func set(_ outcome: LoginRecord.Outcome, _ login: Login, _ reason: String? = nil) {
        let record = LoginRecord(outcome: outcome, version: login.version, at: now(), reason: reason)
        known.withLock { $0[login.key] = Known(record: record, password: login.password) }
        store(login.key, record)
    }

    /// Changes the logins without an answer that are not older than an interval.
    fileprivate func changeUnanswered(
        _ login: Login, _ record: LoginRecord, _ change: (inout [Timestamp]) -> Bool
    ) -> Bool {
        known.withLock { known in
            let all = known[login.key]?.unanswered ?? []
            var recent = all.filter { login.isRecent($0, now()) }
            defer {
                known[login.key] = Known(record: record, password: login.password, unanswered: recent)
            }
            return change(&recent)
        }
    }
}

/// Logins with a password. Call `send` before it is sent, and then what became of it.
package struct Login: Sendable {
    private let logins: Logins
    /// The server and the name that logs in.
    let account: String
    package let password: String
    /// Differs between versions of the password's file, and ends with its time in seconds; nil without a file. Never
    /// derived from the password.
    let version: String?
    /// The time from one regular sync to the next.
    private let interval: Duration

    private static let unanswered = 3

    /// The version of a password that is tried before it is in a file.
    package static let trial = "trial"

    var isTrial: Bool { version == Self.trial }

    /// The key of the record. A trial has one of its own, and says nothing of the password in the file.
    var key: String { isTrial ? Self.key(ofTrial: account) : account }

    static func key(ofTrial account: String) -> String { account + " (\(trial))" }

    /// Whether the file was written so soon after a trial that it has what was tried.
    func wasWritten(after trial: Timestamp) -> Bool {
        let seconds = version?.split(separator: " ").last?.split(separator: ".").first.flatMap { Int64($0) }
        guard !isTrial, let seconds else { return false }
        return .seconds(-1)..<(.seconds(120)) ~= Timestamp(milliseconds: seconds &* 1000) - trial
    }

    package init(
        _ logins: Logins, _ account: String, password: String, version: String?, interval: Duration
    ) {
        (self.logins, self.account, self.interval) = (logins, account, interval)
        (self.password, self.version) = (password, version)
    }

    package var isAccepted: Bool { logins.record(of: self)?.outcome == .accepted }

    /// Throws while the password rests.
    package func send() throws {
        if let failure = rest { throw failure }
        guard let record = logins.record(of: self), record.outcome == .accepted else {
            return logins.set(.sent, self)
        }
        let isAllowed = logins.changeUnanswered(self, record) { times in
            guard times.count < Self.unanswered else { return false }
            times.append(logins.now())
            return true
        }
        guard isAllowed else { throw waiting("\(server) did not answer \(Self.unanswered) logins") }
    }

    package func accepted() {
        guard let record = logins.record(of: self), record.outcome == .accepted else {
            return logins.set(.accepted, self)
        }
        _ = logins.changeUnanswered(self, record) {
            $0 = []
            return true
        }
    }

    /// The server answered something else. That is no failed login if it accepted the password before.
    package func answered(_ reason: String) {
        if isAccepted { accepted() } else { logins.set(.sent, self, reason) }
    }

    package func refused(_ reason: String) { logins.set(.refused, self, reason) }

    /// The password did not leave this machine after all.
    package func withdraw() { if isAccepted { accepted() } else { logins.forget(key: key) } }

    /// Why the password may not be sent now; nil if it may.
    package var rest: UpstreamError? {
        guard let record = logins.record(of: self) else { return nil }
        switch record.outcome {
        case .refused where .zero..<(.seconds(6 * 3600)) ~= logins.now() - record.at:
            return UpstreamError(
                .credentials,
                """
                \(record.reason ?? "\(server) refused the password"); userd sends the same password again after six hours, or \
                when you run `userctl retry users`, because repeated attempts lock an account
                """)
        case .sent where isRecent(record.at, logins.now()):
            let reason = record.reason ?? "\(server) did not answer the last login"
            return waiting("\(reason), and the password was never accepted")
        default: return nil
        }
    }

    private func waiting(_ reason: String) -> UpstreamError {
        UpstreamError(
            .credentials,
            """
            \(reason); userd sends it again at the next regular sync, or when you run `userctl retry users`, because repeated \
            attempts lock an account
            """)
    }

    private var server: Substring { account.prefix { $0 != " " } }

    /// Regular syncs are at least nine tenths of an interval apart.
    fileprivate func isRecent(_ time: Timestamp, _ now: Timestamp) -> Bool {
        .zero..<(interval * 9 / 10) ~= now - time
    }
}
