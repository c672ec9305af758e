import Cache
import Model
import ReadMethods
import StrictJSON
import UserdAPI
import Varlink

/// The way to userd, and for reads to its cache file where userd does not answer.
package final class Connection {
    /// Where answers come from.
    package enum Source: Hashable, Sendable {
        case daemon
        /// - Parameter because: why not from userd, in words for people.
        case cache(path: String, because: String)
    }

    private(set) var source = Source.daemon
    /// Nil where no socket is known.
    private let client: UserdClient?
    private let database: String?
    private let clock: WallClock
    private var cache: CacheReader?
    /// Nil until somebody has asked for a picture.
    private var pictures: CacheReader??

    /// - Parameter database: nil where no such path is known.
    init(client: UserdClient?, database: String?, clock: WallClock) {
        self.client = client
        self.database = database
        self.clock = clock
    }

    /// For what only userd can answer.
    func userd() throws -> UserdClient {
        guard let client else { throw CommandError.noSocketPath }
        return client
    }

    /// Calls a method that the cache file can answer too.
    func read<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>,
        _ call: (UserdClient) -> UserdClient.Call<Parameters, Output>,
        _ parameters: Parameters
    ) async throws -> RawReply<Output> {
        if let reply = try await fromDaemon({ try call($0)(parameters) }) { return reply }
        let bytes = try await readingCache {
            let answer = try await ReadMethods($0).answer(method.qualifiedName, try encoded(parameters))
            // userd has records of its own writing; this file may be anybody's.
            if let answer { try validateRecords(answer) }
            return answer
        }
        guard let bytes else { throw VarlinkError.methodNotImplemented(method.qualifiedName) }
        return RawReply(bytes, to: method)
    }

    /// What userd says of itself; nil where it is not running.
    func daemonState() async throws -> RawReply<DaemonState>? {
        try await fromDaemon { try $0.getState() }
    }

    /// The states as the cache file has them.
    func cachedStates() async throws -> [State] {
        let saved = try await readingCache { try await $0.resources() }
        return Resource.allCases.compactMap { saved[$0] }.map { saved in
            var state = saved.state
            state.stale = saved.freshness(of: state, now: clock.now()).stale
            return state
        }
    }

    /// Nil where userd does not answer: then the cache file is open.
    private func fromDaemon<T>(_ call: (UserdClient) throws -> T) async throws -> T? {
        guard case .daemon = source else { return nil }
        do {
            return try call(userd())
        } catch {
            guard let absence = Absence(error) else { throw error }
            try await turnToCache(because: absence.reason, advice: absence.advice)
            return nil
        }
    }

    /// - Parameter advice: how to have userd answer, where there is no cache either.
    private func turnToCache(because reason: String, advice: [String]) async throws {
        guard let database else {
            throw CommandError(
                "\(reason), and no cache file is known: HOME is not set", .unavailable,
                advice: "name the file with --database, or the socket with --socket")
        }
        do {
            cache = try await openCache(database)
        } catch CacheError.absent(let path) {
            throw CommandError("\(reason), and there is no cache at \(path)", .unavailable, advice: advice)
        } catch CacheError.unusable(let path, let problem, let advice) {
            throw CommandError(
                "\(reason), and the cache at \(path) can't be used: \(problem)", .unavailable, advice: advice)
        }
        source = .cache(path: database, because: reason)
    }

    private func openCache(_ path: String) async throws -> CacheReader {
        try await CacheReader.offline(path: path, now: clock.now, random: { .random(in: $0) })
    }

    /// What the file refuses once it is open, with what to do about it.
    private func readingCache<T>(_ read: (CacheReader) async throws -> T) async throws -> T {
        guard let cache else { throw CacheError.absent(path: database ?? "") }
        func failed(_ problem: String) -> CommandError {
            CommandError(
                "the cache at \(database ?? "") can't be read: \(problem)", .unavailable,
                advice: "try again; if that does not help, remove the file: userd will sync it anew")
        }
        do {
            return try await read(cache)
        } catch CacheError.storage(let problem) {
            throw failed(problem)
        } catch let error as VarlinkError {
            guard case .cacheUnavailable(let problem) = UserdError(wire: error) else { throw error }
            throw failed(problem)
        }
    }
}

extension Connection {
    /// The largest picture of a user that is cached, read off the file whoever answers all else: userd would fetch what is not.
    /// Nil, too, where the file can't be read.
    func cachedPicture(of user: User) async -> FetchedPicture? {
        let urls = PictureSize.allCases.compactMap { user.picture?[$0] }
        guard !urls.isEmpty, let pictures = await picturesFile() else { return nil }
        return try? await pictures.pictureAt(urls)
    }

    private func picturesFile() async -> CacheReader? {
        if let cache { return cache }
        if let pictures { return pictures }
        guard let database else { return nil }
        let opened = try? await openCache(database)
        pictures = .some(opened)
        return opened
    }
}

private func validateRecords(_ answer: [UInt8]) throws {
    do {
        try StrictJSON.validate(answer, maximumDepth: 64)
    } catch {
        throw CacheError.storage("a record in it is no JSON (\(error.reason))")
    }
}
