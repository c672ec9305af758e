import Cache
import Model
import Reads
import StrictJSON
import UserdAPI
import Varlink

/// A connection to userd; reads use the cache file if userd does not answer.
final class UserdOrCache {
    enum Source: Hashable, Sendable {
        case daemon
        /// - Parameter because: why userd did not answer.
        case cache(path: String, because: String)
    }

    private(set) var source = Source.daemon
    private let client: UserdClient?
    private let database: String?
    private let isElsewhere: Bool
    private let clock: WallClock
    private var cache: CacheReader?
    /// Nil before the first picture, `.some(nil)` if the file can't be opened.
    private var pictures: CachedPictures??

    /// - Parameters:
    ///   - client: nil if the socket's path is unknown.
    ///   - database: nil if the cache file's path is unknown.
    ///   - isElsewhere: whether it is unknown because the socket is not the usual one.
    init(client: UserdClient?, database: String?, isElsewhere: Bool = false, clock: WallClock) {
        (self.client, self.database, self.isElsewhere, self.clock) = (client, database, isElsewhere, clock)
    }

    /// The client, for calls that only userd can answer.
    func userd() throws -> UserdClient {
        guard let client else { throw CommandError.noSocketPath }
        return client
    }

    /// Calls a method that the cache file can answer, too.
    func read<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>,
        _ call: (UserdClient) -> UserdClient.Call<Parameters, Output>,
        _ parameters: Parameters
    ) async throws -> RawReply<Output> {
        if let reply = try await fromDaemon({ try call($0)(parameters) }) { return reply }
        let bytes = try await readingCache {
            let answer = try await ReadMethods($0).answer(method.name, try encoded(parameters))
            // userd trusts the records that it wrote; this file may come from elsewhere.
            if let answer { try validateRecords(answer) }
            return answer
        }
        guard let bytes else { throw VarlinkError.methodNotImplemented(method.qualifiedName) }
        return RawReply(bytes, to: method)
    }

    /// Passes on userd's replies to one call with `more`. If userd does not answer, or ends before the last
    /// reply, this opens the cache file for `read`.
    func readAll<Output>(
        _ call: (UserdClient) throws -> RawReplies<Output>,
        _ body: (RawReply<Output>) throws -> VarlinkClient.Next
    ) async throws {
        _ = try await fromDaemon { try call($0).forEach(body) }
    }

    /// userd's own state; nil if it does not answer.
    func daemonState() async throws -> RawReply<DaemonState>? {
        try await fromDaemon { try $0.getState() }
    }

    /// Advice if userd waits for a directory; nil if it does not, or does not answer.
    func notConnected() async -> String? {
        try? await daemonState()?.decoded().notConnected
    }

    /// The settings in force in userd; empty if it does not report them.
    func settings() -> [SettingValue] {
        (try? userd().getSettings().decoded().settings) ?? []
    }

    func cachedStates() async throws -> [State] {
        let saved = try await readingCache { try await $0.resources() }
        // A resource that is turned off has no state.
        let on = Resource.allCases.compactMap { saved[$0] }.filter { $0.state.cause != .turnedOff }
        return on.map { saved in
            var state = saved.state
            state.stale = saved.freshness(of: state, now: clock.now()).stale
            return state
        }
    }

    /// Opens the cache file and returns nil if userd does not answer.
    private func fromDaemon<T>(_ call: (UserdClient) throws -> T) async throws -> T? {
        guard case .daemon = source else { return nil }
        do {
            return try call(userd())
        } catch {
            guard let failure = CommandError(unavailability: error) else { throw error }
            try await turnToCache(because: failure.message, advice: failure.advice)
            return nil
        }
    }

    /// - Parameter advice: what to do about userd, for the error if there is no cache either.
    private func turnToCache(because reason: String, advice: [String]) async throws {
        guard let database else {
            if isElsewhere {
                throw CommandError(
                    "\(reason), and --socket names no cache", .unavailable,
                    advice: advice + ["to read a cache without its userd, name the file with --database"])
            }
            throw CommandError(
                "\(reason), and the cache file is unknown: HOME is not set", .unavailable,
                advice: "name the file with --database, or the socket with --socket")
        }
        do {
            cache = try await CacheReader.offline(
                path: database, now: clock.now, random: { .random(in: $0) })
        } catch CacheError.absent(let path) {
            throw CommandError("\(reason), and there is no cache at \(path)", .unavailable, advice: advice)
        } catch CacheError.damaged(let problem) {
            throw CommandError(
                "\(reason), and the cache at \(database) is damaged: \(problem)", .unavailable,
                advice:
                    "start userd, which sets the file aside and fetches everything again; if the file belongs to another program, name userd's with --database"
            )
        } catch CacheError.unusable(let path, let problem, let advice) {
            throw CommandError(
                "\(reason), and the cache at \(path) can't be used: \(problem)", .unavailable, advice: advice)
        }
        source = .cache(path: database, because: reason)
    }

    /// Adds the file's path and advice to errors of an open cache file.
    private func readingCache<T>(_ read: (CacheReader) async throws -> T) async throws -> T {
        guard let cache else { throw CacheError.absent(path: database ?? "") }
        func failed(_ problem: String) -> CommandError {
            CommandError(
                "the cache at \(database ?? "") can't be read: \(problem)", .unavailable,
                advice: cacheAdvice)
        }
        do {
            return try await read(cache)
        } catch let error as CacheError {
            switch error {
            case .damaged, .storage: throw failed("\(error)")
            default: throw error
            }
        } catch let error as VarlinkError {
            guard case .cacheUnavailable(let problem) = UserdError(wire: error) else { throw error }
            throw failed(problem)
        }
    }
}

extension UserdOrCache {
    /// The largest cached picture of a user; nil also if the cache file can't be read. Always read from the
    /// file, because userd would fetch a picture that is not cached.
    func cachedPicture(_ picture: @autoclosure () -> User.Picture?) -> FetchedPicture? {
        guard let pictures = picturesFile(), !pictures.isEmpty, let picture = picture() else { return nil }
        return pictures.first(of: PictureSize.allCases.compactMap { picture[$0] })
    }

    private func picturesFile() -> CachedPictures? {
        if let pictures { return pictures }
        let path = database ?? (isElsewhere ? settings().value(of: "database") : nil)
        let opened = path.flatMap { try? CachedPictures(path: $0) }
        pictures = .some(opened)
        return opened
    }
}

private func validateRecords(_ answer: [UInt8]) throws {
    do {
        try StrictJSON.validate(answer, maximumDepth: 64)
    } catch {
        throw CacheError.storage("a record is not valid JSON (\(error.reason))")
    }
}
