import HTTP
import HTTPClient
import Model
import Synchronization

/// The proxies for requests to upstreams, and the certificate authorities that userd trusts.
struct NetworkOptions: Sendable, Hashable {
    let proxies: Proxies
    let trustRoots: TrustRoots

    init(_ settings: Settings) throws {
        proxies = settings.proxies
        let file = settings.http.caFile
        guard let roots = TrustRoots(files: file.map { [$0] } ?? []) else {
            throw ExitError(description: "http.ca_file: \(Self.unreadable(file))", code: 64)
        }
        trustRoots = roots
    }

    static func mistakes(_ settings: Settings) -> [SettingMistake] {
        guard !settings.hasStandIn, let file = settings.http.caFile, TrustRoots(files: [file]) == nil else {
            return []
        }
        return [SettingMistake("http.ca_file", unreadable(file))]
    }

    private static func unreadable(_ file: String?) -> String {
        "\(file ?? "") can't be read, or does not hold valid certificates in PEM"
    }
}

/// One client for each set of limits and network options so far: a running sync keeps its own when settings
/// change.
final class HTTPClients: Sendable {
    private struct Key: Hashable {
        let limits: HTTPLimits
        let connections: NetworkOptions
    }

    private let clients = Mutex<[Key: LiveHTTP]>([:])
    private let recorder: Recorder?

    init(recorder: Recorder? = nil) { self.recorder = recorder }

    func client(_ limits: HTTPLimits, _ connections: NetworkOptions) -> LiveHTTP {
        clients.withLock { clients in
            let key = Key(limits: limits, connections: connections)
            if let client = clients[key] { return client }
            let client = LiveHTTP(
                limits: limits, userAgent: "userd/\(version)",
                additionalTrustRoots: connections.trustRoots, proxies: connections.proxies,
                recorder: recorder)
            clients[key] = client
            return client
        }
    }

    /// Returns within half a second. A client waits for a running handshake, which with a silent server lasts
    /// until the connect timeout; such a client is left to the end of the program.
    func shutdown() async {
        let clients = clients.withLock { $0.values.map(\.self) }
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        Task {
            await withDiscardingTaskGroup { group in
                for client in clients { group.addTask { try? await client.shutdown() } }
            }
            end.finish()
        }
        let limit = Task {
            try await Task.sleep(for: .milliseconds(500))
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}
