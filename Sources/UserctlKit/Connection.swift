import Cache
import Model
import UserdAPI
import UserdReads
import Varlink

/// The way to userd, and for reads to its cache file where userd does not answer.
final class Connection {
    /// Where answers come from.
    enum Source: Hashable {
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
    ) async throws -> UserdReply<Output> {
        if let reply = try await fromDaemon({ try call($0)(parameters) }) { return reply }
        let bytes = try await UserdReads(cacheFile()).answer(method.qualifiedName, try encoded(parameters))
        guard let bytes else { throw VarlinkError.methodNotImplemented(method.qualifiedName) }
        return UserdReply(bytes, to: method)
    }

    /// What userd says of itself; nil where it is not running.
    func daemonState() async throws -> UserdReply<DaemonState>? {
        try await fromDaemon { try $0.getState() }
    }

    /// The states as the cache file has them.
    func cachedStates() async throws -> [State] {
        let saved = try await cacheFile().resources()
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
        } catch let error as CommandError where error == .noSocketPath {
            try await turnToCache(because: "userd is not running")
        } catch VarlinkClientError.closed {
            try await turnToCache(because: "userd has ended the connection")
        } catch let error as VarlinkClientError where error.meansNoDaemon {
            try await turnToCache(because: "userd is not running")
        } catch let error as VarlinkError where error == .permissionDenied {
            try await turnToCache(because: "userd has as many connections as it takes")
        }
        return nil
    }

    private func turnToCache(because reason: String) async throws {
        guard let database else {
            throw CommandError(
                "\(reason), and no cache file is known: HOME is not set", .unavailable,
                advice: "name the file with --database, or the socket with --socket")
        }
        cache = try await CacheReader.offline(
            path: database, now: clock.now, random: { .random(in: $0) })
        source = .cache(path: database, because: reason)
    }

    private func cacheFile() throws -> CacheReader {
        guard let cache else { throw CacheError.absent(path: database ?? "") }
        return cache
    }
}

extension CommandError {
    fileprivate static let noSocketPath = CommandError(
        "userd can't be found: XDG_RUNTIME_DIR is not set", .unavailable,
        advice: "name the socket with --socket or USERD_SOCKET")
}

extension VarlinkClientError {
    /// Nobody is there: a read may as well be answered from the file.
    fileprivate var meansNoDaemon: Bool {
        switch self {
        case .noSocket, .refused: true
        default: false
        }
    }
}
