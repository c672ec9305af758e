import Cache
import Model
import Platform
import TerminalViews
import UserdAPI
import Varlink

/// A failed command: what happened, what to do about it, and the exit code.
struct CommandError: Error, Hashable, Sendable {
    let message: String
    /// One line each.
    let advice: [String]
    let status: Outcome

    init(_ message: String, _ status: Outcome, advice: String...) {
        self.init(message, status, advice: advice)
    }

    init(_ message: String, _ status: Outcome, advice: [String]) {
        (self.message, self.advice, self.status) = (message, advice, status)
    }

    var lines: [String] { message.isEmpty ? [] : [message] + advice }
}

/// Not `systemctl start`, which fails after too many restarts.
let startAdvice = "start it with `userctl service enable`, or run `userd`"
let logAdvice = "`journalctl --user -u userd` may say why"
let connectionsAdvice = "close some, or raise the setting limits.connections"
let cacheAdvice = "try again; if that does not help, `userctl doctor` examines the cache"
private let versionAdvice = "check that `userctl --version` and `userd --version` are the same"

extension CommandError {
    /// Nil for unknown errors.
    init?(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as VarlinkClientError: self.init(error)
        case let error as UserdError: self.init(error)
        case let error as VarlinkError:
            if let error = UserdError(wire: error) { self.init(error) } else { self.init(error) }
        case let error as CacheError: self.init(error)
        case let error as FileWriteError: self.init("\(error)", .output)
        case let error as InvalidReply:
            self.init("\(error)", .unavailable, advice: versionAdvice)
        default: return nil
        }
    }

    static let mostAmbiguous = 10
    static let mostNear = 10

    /// - Parameters:
    ///   - identities: a description of each of the first users.
    ///   - total: of the ids, if these are the first.
    static func ambiguous(
        _ key: String, _ ids: [String], _ identities: [String] = [], total: Int? = nil,
        advice: String = "choose one by its id"
    ) -> CommandError {
        let total = total ?? ids.count
        let shown = ids.prefix(mostAmbiguous).enumerated().map { number, id in
            "  \(shellQuoted(id))" + identities.dropFirst(number).prefix(1).map { "  " + $0 }.joined()
        }
        return CommandError(
            "“\(key)” matches \(total) users: \(advice)", .failed,
            advice: shown + (total > shown.count ? ["  and \(total - shown.count) more"] : []))
    }

    private init(_ error: VarlinkClientError) {
        switch error {
        case .noSocket(let path):
            self.init("userd is not running (no socket at \(path))", .unavailable, advice: startAdvice)
        case .refused(let path):
            self.init("userd is not running (nothing listens at \(path))", .unavailable, advice: startAdvice)
        case .permissionDenied(let path):
            self.init(
                "no permission to connect to \(path)", .unavailable,
                advice: "userd answers only its own user: name your socket with --socket")
        case .otherUser:
            self.init(
                "not your userd, but \(error)", .unavailable,
                advice: "userd answers only its own user: name your socket with --socket")
        case .badPath: self.init("\(error)", .usage, advice: "name a shorter one with --socket")
        case .system: self.init("can't connect to userd: \(error)", .unavailable, advice: logAdvice)
        case .timedOut: self.init("userd did not answer in time", .timedOut, advice: logAdvice)
        case .closed:
            self.init("userd closed the connection before it answered", .unavailable, advice: logAdvice)
        case .violation:
            self.init(
                "\(error)", .unavailable,
                advice: "another program may listen there: name userd's socket with --socket")
        case .interrupted: self.init("", .interrupted)
        }
    }

    private init(_ error: UserdError) {
        switch error {
        case .notFound(let key):
            let dashes = key.hasPrefix("-") ? "-- " : ""
            self.init(
                "no user has the id, username or email address “\(key)”", .failed,
                advice: canSearch(key)
                    ? "search with `userctl search \(dashes)\(shellQuoted(key))`"
                    : "`userctl list` lists all users")
        case .ambiguous(let key, let ids): self = .ambiguous(key, ids)
        case .noFacts:
            self.init("no cached fact is short enough", .failed, advice: "try a larger --max-length")
        case .sequenceGone(_, let oldest, let newest):
            self.init(
                "these transitions are no longer kept; available are \(oldest) to \(newest)", .failed,
                advice: "start with one of those, or leave out --since")
        case .fellBehind(_, let index):
            self.init(
                "fell behind after transition \(index)", .failed,
                advice: "`userctl watch --since \(index)` continues from there")
        case .invalidCursor:
            self.init("the list changed too much while it was read", .failed, advice: "try again")
        // Not caused by upstream.
        case .upstreamFailed(let failure) where failure.kind == .cancelled:
            self.init(failure.message, .failed)
        case .upstreamFailed(let failure):
            self.init(
                "upstream failed: \(failure.message)", .failed,
                advice: "`userctl fact` shows a cached one")
        case .ending:
            self.init("userd stopped before it answered", .unavailable, advice: startAdvice)
        case .cacheUnavailable(let message):
            self.init("the cache can't be used: \(message)", .unavailable, advice: logAdvice)
        }
    }

    /// An error of org.varlink.service, or an unknown one.
    private init(_ error: VarlinkError) {
        struct Carried: Decodable {
            var parameter: String?
            var method: String?
        }
        let carried = try? decoded(Carried.self, from: error.parameters)
        switch error.name {
        case "org.varlink.service.InvalidParameter" where carried?.parameter == "search":
            self.init(
                """
                the search is too long: the limit is \(SearchLimits.words) words and \(grouped(FullText.maximumBytes)) bytes
                """, .usage,
                advice: "use fewer words")
        case "org.varlink.service.InvalidParameter":
            self.init(
                "userd rejected the parameter \(carried?.parameter ?? "value")", .usage,
                advice: "see `userctl --help`")
        case VarlinkError.permissionDenied.name:
            self.init("userd has reached its limit of connections", .unavailable, advice: connectionsAdvice)
        case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented",
            "org.varlink.service.InterfaceNotFound":
            self.init(
                "userd does not know \(carried?.method ?? UserdInterface.name)", .unavailable,
                advice: versionAdvice)
        default: self.init("userd answered with the error \(error.name)", .unavailable, advice: logAdvice)
        }
    }

    private init(_ error: CacheError) {
        switch error {
        case .absent(let path):
            self.init("there is no cache at \(path)", .unavailable, advice: startAdvice)
        case .unusable(let path, let reason, let advice):
            self.init("\(path): \(reason)", .unavailable, advice: advice)
        default:
            self.init("the cache can't be read: \(error)", .unavailable, advice: cacheAdvice)
        }
    }
}

/// Makes a call that changes something: if it times out, the error says that userd may still do it.
func requested<Output>(_ call: () async throws -> Output) async throws -> Output {
    do {
        return try await call()
    } catch VarlinkClientError.timedOut {
        throw CommandError(
            "userd did not answer in time; it may still do what was asked", .timedOut,
            advice: "`userctl status` shows what it does; \(logAdvice)")
    }
}

extension UserdError {
    /// userd's client throws a `UserdError`, the cache file's reader a `VarlinkError`.
    init?(any error: any Error) {
        if let error = error as? UserdError {
            self = error
        } else {
            guard let wire = error as? VarlinkError else { return nil }
            self.init(wire: wire)
        }
    }
}

extension CommandError {
    static let noSocketPath = CommandError(
        "userd's socket is unknown: XDG_RUNTIME_DIR is not set to an absolute path", .unavailable,
        advice: "name the socket with --socket or USERD_SOCKET")

    /// The reason why userd is unavailable, so that reads use the cache file, in fewer words; nil for errors that don't mean
    /// that.
    init?(unavailability error: any Error) {
        let (reason, advice): (String, [String])
        switch error {
        case let error as CommandError where error == .noSocketPath:
            reason = "userd's socket is unknown: neither XDG_RUNTIME_DIR nor --socket is set"
            advice = error.advice
        case VarlinkClientError.closed:
            reason = "userd closed the connection"
            advice = ["userd answers only its own user: name your socket with --socket", logAdvice]
        case VarlinkClientError.noSocket, VarlinkClientError.refused:
            (reason, advice) = ("userd is not running", [startAdvice])
        case VarlinkClientError.timedOut:
            (reason, advice) = ("userd does not answer", [logAdvice])
        case let error as VarlinkError where error == .permissionDenied:
            (reason, advice) = ("userd has reached its limit of connections", [connectionsAdvice])
        default: return nil
        }
        self.init(reason, .unavailable, advice: advice)
    }
}
