import BaseDirectories
import CommandSupport
import Model
import UserdAPI
import Varlink

/// The facts behind the checks of userd's socket and answer.
package struct SocketFacts: Sendable {
    /// Nil if unknown.
    package var path: String?
    package var directory: FileFact
    package var file: FileFact
    /// To `GetState`; nil if the path is unknown.
    package var answer: Result<DaemonState, any Error>?
    package var user: UInt32

    package init(
        path: String?, directory: FileFact = .absent, file: FileFact = .absent,
        answer: Result<DaemonState, any Error>? = nil, user: UInt32
    ) {
        (self.path, self.directory, self.file, self.user) = (path, directory, file, user)
        self.answer = answer
    }
}

extension CheckSubject {
    fileprivate static let path = CheckSubject(name: "socket.path", title: "Socket's path")
    fileprivate static let directory = CheckSubject(name: "socket.directory", title: "Socket's folder")
    fileprivate static let file = CheckSubject(name: "socket.file", title: "Socket")
    fileprivate static let connection = CheckSubject(name: "socket.connection", title: "Connection")
    fileprivate static let answer = CheckSubject(name: "daemon.answer", title: "Answer")
    fileprivate static let version = CheckSubject(name: "daemon.version", title: "Version")
}

package func socketChecks(_ facts: SocketFacts) -> [Check] {
    guard let path = facts.path else {
        let others = [CheckSubject.connection, .answer, .version]
        return [
            CheckSubject.path.failed(
                "unknown: XDG_RUNTIME_DIR is not set to an absolute path",
                "log in with a session, or name the socket with --socket or USERD_SOCKET")
        ] + others.map { $0.skipped(Check.unanswered) }
    }
    return [
        CheckSubject.path.ok(path),
        privacyCheck(
            .directory, parent(of: path), facts.directory, is: .folder, user: facts.user,
            option: "--socket"),
        privacyCheck(.file, path, facts.file, is: .socket, user: facts.user, option: "--socket"),
    ] + answerChecks(facts, path)
}

private func answerChecks(_ facts: SocketFacts, _ path: String) -> [Check] {
    let connected = CheckSubject.connection.ok("a program listens at \(path)")
    switch facts.answer ?? .failure(VarlinkClientError.noSocket(path: path)) {
    case .success(let state):
        return [
            connected, CheckSubject.answer.ok("userd answers"),
            state.version == version
                ? CheckSubject.version.ok("userd and userctl are both \(version)")
                : CheckSubject.version.warning(
                    "userd is \(state.version), userctl is \(version)",
                    "`systemctl --user restart userd` starts the installed version"),
        ]
    case .failure(let error):
        let isConnected = (error as? VarlinkClientError)?.isOfConnecting != true
        return [
            isConnected ? connected : failed(.connection, error, facts.file),
            isConnected
                ? failed(.answer, error, facts.file) : CheckSubject.answer.skipped(Check.unanswered),
            CheckSubject.version.skipped(Check.unanswered),
        ]
    }
}

private func failed(_ subject: CheckSubject, _ error: any Error, _ file: FileFact) -> Check {
    if case VarlinkClientError.refused(let path) = error, case .found(.socket, _, _) = file {
        return subject.failed(
            "nothing listens at \(path): a killed userd left the socket behind",
            startAdvice + "; it replaces the stale socket")
    }
    if case VarlinkClientError.timedOut = error {
        return subject.failed(
            "userd accepted the connection but does not answer",
            "`systemctl --user restart userd`, or stop it and start it again",
            "`journalctl --user -u userd` may say why")
    }
    guard let error = CommandError(error), !error.message.isEmpty else { return subject.failed("\(error)") }
    return subject.failed(error.message, advice: error.advice)
}

extension VarlinkClientError {
    fileprivate var isOfConnecting: Bool {
        switch self {
        case .noSocket, .refused, .permissionDenied, .otherUser, .badPath: true
        case .system(let call, _): call == "connect" || call == "socket"
        case .timedOut, .closed, .violation, .interrupted: false
        }
    }
}
