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
        self.path = path
        self.directory = directory
        self.file = file
        self.answer = answer
        self.user = user
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
        return [
            .noPath, CheckSubject.connection.skipped(Check.unanswered),
            CheckSubject.answer.skipped(Check.unanswered), CheckSubject.version.skipped(Check.unanswered),
        ]
    }
    let directory = OwnFile(
        subject: .directory, path: parent(of: path), fact: facts.directory, user: facts.user,
        option: "--socket")
    let file = OwnFile(
        subject: .file, path: path, fact: facts.file, user: facts.user, option: "--socket")
    return [
        CheckSubject.path.ok(path), directory.folderCheck(),
        file.check(is: .socket, called: "a socket", mode: 0o600),
    ] + answerChecks(facts, path)
}

private func answerChecks(_ facts: SocketFacts, _ path: String) -> [Check] {
    let state: DaemonState
    do {
        guard let answer = facts.answer else { throw VarlinkClientError.noSocket(path: path) }
        state = try answer.get()
    } catch {
        let isConnected = (error as? VarlinkClientError)?.isOfConnecting != true
        return [
            isConnected
                ? CheckSubject.connection.ok("a program listens at \(path)")
                : .failed(.connection, error, facts.file),
            isConnected
                ? .failed(.answer, error, facts.file) : CheckSubject.answer.skipped(Check.unanswered),
            CheckSubject.version.skipped(Check.unanswered),
        ]
    }
    return [
        CheckSubject.connection.ok("a program listens at \(path)"), CheckSubject.answer.ok("userd answers"),
        state.version == version
            ? CheckSubject.version.ok("userd and userctl are both \(version)")
            : CheckSubject.version.warning(
                "userd is \(state.version), userctl is \(version)",
                "`systemctl --user restart userd` starts the installed version"),
    ]
}

extension Check {
    fileprivate static let noPath = CheckSubject.path.failed(
        "unknown: XDG_RUNTIME_DIR is not set to an absolute path",
        "log in with a session, or name the socket with --socket or USERD_SOCKET")

    fileprivate static func failed(_ subject: CheckSubject, _ error: any Error, _ file: FileFact) -> Check {
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
        guard let error = CommandError(error), !error.message.isEmpty else {
            return subject.failed("\(error)")
        }
        return subject.failed(error.message, advice: error.advice)
    }
}

extension VarlinkClientError {
    fileprivate var isOfConnecting: Bool {
        switch self {
        case .noSocket, .refused, .permissionDenied, .badPath: true
        case .system(let call, _): call == "connect" || call == "socket"
        case .timedOut, .closed, .violation, .interrupted: false
        }
    }
}
