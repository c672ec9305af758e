import Cache
import Model
import UserdAPI
import UserdReads
import Varlink

/// The way to userd, and for reads to its cache file where no userd answers.
final class Connection {
    /// Where answers come from.
    enum Source: Hashable {
        case daemon
        case cache(path: String)
    }

    private(set) var source = Source.daemon
    private let socket: String?
    private let database: String?
    private let clock: WallClock
    private var client: VarlinkClient?
    private var cache: CacheReader?

    /// Nil where no such path is known.
    init(socket: String?, database: String?, clock: WallClock) {
        self.socket = socket
        self.database = database
        self.clock = clock
    }

    /// Calls a method that the cache file can answer too.
    func read<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters
    ) async throws -> RawReply<Output> {
        if let answer = try await fromDaemon({ try call(method, parameters) }) { return answer }
        let reply = try await UserdReads(cacheFile()).answer(method.qualifiedName, try encoded(parameters))
        guard let reply else { throw VarlinkError.methodNotImplemented(method.qualifiedName) }
        return RawReply(bytes: reply)
    }

    /// Calls a method that only a daemon can answer.
    /// - Parameter timeout: nil waits for as long as it takes.
    func call<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters,
        timeout: Duration? = .seconds(10)
    ) throws -> RawReply<Output> {
        let client = try self.client ?? connect()
        self.client = client
        return RawReply(
            bytes: try client.call(
                method.qualifiedName, parameters: try encoded(parameters), timeout: timeout))
    }

    /// A connection of its own, for calls that are answered more than once.
    func connect() throws -> sending VarlinkClient {
        guard let socket else { throw CommandError.noSocketPath }
        return try VarlinkClient(path: socket)
    }

    /// What userd says of itself; nil where it is not running.
    func daemonState() async throws -> RawReply<DaemonState>? {
        try await fromDaemon { try call(.getState, NoParameters()) }
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

    /// Nil where no daemon answers: then the cache file is open.
    private func fromDaemon<T>(_ call: () throws -> T) async throws -> T? {
        guard case .daemon = source else { return nil }
        do {
            return try call()
        } catch let error as CommandError where error == .noSocketPath {
            try await turnToCache()
        } catch let error as VarlinkClientError where error.meansNoDaemon {
            try await turnToCache()
        }
        return nil
    }

    private func turnToCache() async throws {
        guard let database else {
            throw CommandError(
                "userd is not running, and no cache file is known: HOME is not set", .unavailable,
                advice: "name the file with --database, or the socket with --socket")
        }
        cache = try await CacheReader.offline(
            path: database, now: clock.now, random: { .random(in: $0) })
        source = .cache(path: database)
    }

    private func cacheFile() throws -> CacheReader {
        guard let cache else { throw CacheError.absent(path: database ?? "") }
        return cache
    }
}

/// A reply's parameters as they came, and their meaning.
struct RawReply<Output: Decodable> {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    func decoded() throws -> Output { try UserdAPI.decoded(Output.self, from: bytes) }

    /// As a document of its own.
    var document: [UInt8] { bytes + [UInt8(ascii: "\n")] }
}

extension RawReply where Output: Encodable {
    init(_ output: Output) throws { try self.init(bytes: encoded(output)) }
}

extension CommandError {
    fileprivate static let noSocketPath = CommandError(
        "userd can't be found: XDG_RUNTIME_DIR is not set", .unavailable,
        advice: "name the socket with --socket or USERD_SOCKET")
}

extension VarlinkClientError {
    /// Nobody is there, or went away while it was asked: a read may as well be answered from the file.
    var meansNoDaemon: Bool {
        switch self {
        case .noSocket, .refused, .closed: true
        default: false
        }
    }
}
