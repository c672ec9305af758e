import Logging
import Model
import Platform
import Sync
import Synchronization
import UserdAPI
import VarlinkServer

/// Sockets that a service manager passed on, or one at a path.
struct ServedSocket: Sendable {
    /// Nil for a socket at a path.
    private var activation: Activation?
    /// The path at which clients find userd; nil if they can't connect.
    private let path: String?
    private let registry: String?

    /// Throws `ListenError` and `SettingsError`.
    init(_ settings: Settings, _ environment: [String: String]) throws {
        registry = BaseDirectories(variable: { environment[$0] }, homeDirectory: "").registry
        activation = try Activation(environment: environment, except: BookSocket.name)
        path =
            if let activation { activation.sockets.compactMap(\.path).first } else {
                try settings.requiredSocket()
            }
    }

    /// The same without connected clients, and with new descriptors for what listens: a server closes its
    /// own.
    func forNextServer() throws -> ServedSocket {
        var next = self
        next.activation = try activation?.duplicatingListeners()
        return next
    }

    /// Serves clients until the task is cancelled.
    func serve(
        _ server: VarlinkServer, _ logger: Logger, sleep: @escaping @Sendable (Duration) async throws -> Void,
        onListening: @escaping @Sendable () -> Void, onEnding: @escaping @Sendable () -> Void
    ) async throws {
        let link = Mutex<RegistryLink?>(nil)
        defer {
            // A manager that passed a socket goes on listening, and starts userd again.
            if activation == nil { link.withLock { $0 }?.remove() }
        }
        let listening = { @Sendable in
            link.withLock { $0 = register(logger) }
            let name = activation?.sockets.map { $0.path ?? "a client" }.joined(separator: ", ")
            logger.notice("Listening", metadata: ["socket": "\(name ?? path ?? "")"])
            onListening()
        }
        if let activation {
            try await server.run(on: activation, onListening: listening, onEnding: onEnding)
        } else if let path {
            let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let watching = Task { await watch(path, look, sleep) }
            defer { watching.cancel() }
            try await server.run(
                at: path, looks: looks, onListening: listening,
                onBoundAgain: { link.withLock { $0 = register(logger) } }, onEnding: onEnding)
        }
    }

    /// Looks at the socket when its folder changes, and at intervals, as `watchCache` does at the cache: a logout may
    /// remove the folder.
    private func watch(
        _ path: String, _ look: AsyncStream<Void>.Continuation,
        _ sleep: @escaping @Sendable (Duration) async throws -> Void
    ) async {
        while !Task.isCancelled {
            // Watched anew each time: the folder may be another one now.
            let changes = changes(
                in: parent(of: path), ofNames: path.split(separator: "/").last.map(String.init) ?? "")
            look.yield()
            _ = try? await within(.seconds(60), sleep) {
                for await _ in changes { return }
                // The folder can't be watched.
                try await sleep(.seconds(60))
            }
        }
    }

    /// A failure is only logged: clients also find userd without the link.
    private func register(_ logger: Logger) -> RegistryLink? {
        guard let path, let registry else { return nil }
        do {
            return try RegistryLink(in: registry, interface: UserdInterface.name, to: path)
        } catch {
            logger.info("Not in the registry of Varlink services", metadata: ["reason": "\(error)"])
            return nil
        }
    }
}

extension Limits {
    /// Allows only as many connections as there are descriptors.
    init(_ settings: Settings.Limits, _ logger: Logger) {
        self.init()
        connections = makeRoom(forConnections: settings.connections, logger)
        requestLength = settings.requestBytes
        requestDepth = settings.requestDepth
        requestDeadline = settings.requestDeadline
    }
}
