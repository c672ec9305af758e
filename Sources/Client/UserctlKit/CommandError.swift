import Cache
import Model
import TerminalViews
import UserdAPI
import Varlink

/// What went wrong, and what to do about it, in words for people.
package struct CommandError: Error, Hashable, Sendable {
    package let message: String
    /// Each a line of its own.
    package let advice: [String]
    package let status: Outcome

    init(_ message: String, _ status: Outcome, advice: String...) {
        self.init(message, status, advice: advice)
    }

    init(_ message: String, _ status: Outcome, advice: [String]) {
        self.message = message
        self.advice = advice
        self.status = status
    }

    var lines: [String] { message.isEmpty ? [] : [message] + advice }
}

/// systemd's own command fails where userd ended too often.
let startAdvice = "start it with `userctl service enable`, or run `userd`"
let logAdvice = "`journalctl --user -u userd` may say why"
let connectionsAdvice = "close some, or raise its setting limits.connections"
private let versionAdvice = "`userctl --version` and `userd --version` should be the same"

extension CommandError {
    /// Nil where the error is none of userd's.
    package init?(_ error: any Error) {
        switch error {
        case let error as CommandError: self = error
        case let error as VarlinkClientError: self.init(error)
        case let error as UserdError: self.init(error)
        case let error as VarlinkError:
            if let error = UserdError(wire: error) { self.init(error) } else { self.init(error) }
        case let error as CacheError: self.init(error)
        case let error as InvalidReply:
            self.init("\(error)", .unavailable, advice: versionAdvice)
        default: return nil
        }
    }

    static let mostAmbiguous = 20

    /// - Parameter identities: who they are, in words for people, by id.
    static func ambiguous(_ key: String, _ ids: [String], _ identities: [String: String] = [:])
        -> CommandError
    {
        let shown = ids.prefix(mostAmbiguous).map { id in
            "  \(shellQuoted(id))" + (identities[id].map { "  \($0)" } ?? "")
        }
        return CommandError(
            "“\(key)” belongs to \(ids.count) users: choose one by its id", .failed,
            advice: shown + (ids.count > shown.count ? ["  and \(ids.count - shown.count) more"] : []))
    }

    private init(_ error: VarlinkClientError) {
        switch error {
        case .noSocket(let path):
            self.init("userd is not running (no socket at \(path))", .unavailable, advice: startAdvice)
        case .refused(let path):
            self.init(
                "userd is not running (nobody listens at \(path))", .unavailable, advice: startAdvice)
        case .permissionDenied(let path):
            self.init(
                "no permission to connect to \(path)", .unavailable,
                advice: "each user has a userd of their own: name yours with --socket")
        case .badPath: self.init("\(error)", .usage, advice: "name a shorter one with --socket")
        case .system: self.init("userd can't be reached: \(error)", .unavailable, advice: logAdvice)
        case .timedOut: self.init("userd did not answer in time", .timedOut, advice: logAdvice)
        case .closed:
            self.init(
                "userd closed the connection before it had answered", .unavailable, advice: logAdvice)
        case .violation:
            self.init(
                "\(error)", .unavailable, advice: "is it userd that listens there? --socket names another")
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
                    ? "look for one with `userctl search \(dashes)\(shellQuoted(key))`"
                    : "`userctl list` tells who there is")
        case .ambiguous(let key, let ids): self = .ambiguous(key, ids)
        case .noFacts:
            self.init(
                "no fact is cached that fits", .failed, advice: "a larger --max-length may fit one")
        case .sequenceGone(_, let oldest, let newest):
            self.init(
                "those transitions are no longer kept: there are \(oldest) to \(newest)", .failed,
                advice: "begin with one of those, or leave --since out")
        case .fellBehind(_, let index):
            self.init(
                "fell behind after transition \(index)", .failed,
                advice: "`userctl watch --since \(index)` goes on from there")
        case .invalidCursor:
            self.init("the list changed too much to go on with", .failed, advice: "try again")
        case .upstreamFailed(let failure):
            self.init(
                "upstream failed: \(failure.message)", .failed,
                advice: "`userctl fact` tells one of those that are cached")
        case .ending:
            self.init("userd was stopped before it had answered", .unavailable, advice: startAdvice)
        case .cacheUnavailable(let message):
            self.init("the cache can't be used: \(message)", .unavailable, advice: logAdvice)
        }
    }

    /// Of org.varlink.service, or unheard of.
    private init(_ error: VarlinkError) {
        struct Carried: Decodable {
            var parameter: String?
            var method: String?
        }
        let carried = try? decoded(Carried.self, from: error.parameters)
        switch error.name {
        case "org.varlink.service.InvalidParameter" where carried?.parameter == "search":
            self.init(
                "what to search for is too long: it may have \(grouped(FullText.maximumBytes)) bytes", .usage,
                advice: "leave some of the words out")
        case "org.varlink.service.InvalidParameter":
            self.init(
                "userd does not take this \(carried?.parameter ?? "value")", .usage,
                advice: "`userctl --help` says what each command takes")
        case VarlinkError.permissionDenied.name:
            self.init(
                "userd has as many connections as it takes", .unavailable,
                advice: connectionsAdvice)
        case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented",
            "org.varlink.service.InterfaceNotFound":
            self.init(
                "what listens there knows no \(carried?.method ?? UserdInterface.name)", .unavailable,
                advice: versionAdvice)
        default: self.init("userd answered \(error.name)", .unavailable, advice: logAdvice)
        }
    }

    private init(_ error: CacheError) {
        switch error {
        case .absent(let path):
            self.init("there is no cache at \(path)", .unavailable, advice: startAdvice)
        case .unusable(let path, let reason, let advice):
            self.init("\(path): \(reason)", .unavailable, advice: advice)
        default:
            self.init(
                "the cache can't be read: \(error)", .unavailable,
                advice: "try again; if it stays so, remove the file, and userd fetches all anew")
        }
    }
}

/// The answer to what is more than a question: who hears of none is told that this does not undo it.
func requested<Output>(_ call: () async throws -> Output) async throws -> Output {
    do {
        return try await call()
    } catch VarlinkClientError.timedOut {
        throw CommandError(
            "userd did not answer in time, and may still do it", .timedOut,
            advice: "`userctl status` shows what it does; \(logAdvice)")
    }
}
