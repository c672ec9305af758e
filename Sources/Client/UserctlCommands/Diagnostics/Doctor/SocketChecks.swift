import Model
import Platform
import UserdAPI
import Varlink

extension CheckSubject {
    fileprivate static let path = CheckSubject(name: "socket.path", title: "Socket's path")
    fileprivate static let directory = CheckSubject(name: "socket.directory", title: "Socket's folder")
    fileprivate static let file = CheckSubject(name: "socket.file", title: "Socket")
    fileprivate static let connection = CheckSubject(name: "socket.connection", title: "Connection")
    fileprivate static let answer = CheckSubject(name: "daemon.answer", title: "Answer")
    fileprivate static let version = CheckSubject(name: "daemon.version", title: "Version")
}

/// - Parameters:
///   - path: nil if unknown.
///   - answer: the answer to `GetState`; nil if the path is unknown.
func socketChecks(
    _ path: String?, answer: Result<DaemonState, any Error>?, _ probes: DoctorProbes
) -> [Check] {
    guard let path else {
        let others = [CheckSubject.connection, .answer, .version]
        return [
            CheckSubject.path.failed(
                "unknown: XDG_RUNTIME_DIR is not set to an absolute path",
                "log in with a session, or name the socket with --socket or USERD_SOCKET")
        ] + others.map { $0.skipped(Check.unanswered) }
    }
    let (user, folder, file) = (probes.user().id, parent(of: path), probes.file(path, false))
    return [
        CheckSubject.path.ok(path),
        privacyCheck(
            .directory, folder, probes.file(folder, false), is: .folder, user: user, option: "--socket"),
        privacyCheck(.file, path, file, is: .socket, user: user, option: "--socket"),
    ] + answerChecks(answer ?? .failure(VarlinkClientError.noSocket(path: path)), file, path)
}

private func answerChecks(
    _ answer: Result<DaemonState, any Error>, _ file: FileFact, _ path: String
) -> [Check] {
    let connected = CheckSubject.connection.ok("a program listens at \(path)")
    switch answer {
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
            isConnected ? connected : failed(.connection, error, file),
            isConnected
                ? failed(.answer, error, file) : CheckSubject.answer.skipped(Check.unanswered),
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
