import BaseDirectories
import Logging
import ServiceLifecycle
import Settings
import Synchronization
import UserdAPI
import VarlinkServer

/// Sockets that a service manager passed on, or one at a path.
enum ServedSocket: Sendable {
    case passed(Activation, registry: String?)
    case path(String, registry: String?)

    /// Throws `ListenError` and `SettingsError`.
    init(_ settings: Settings, _ environment: [String: String]) throws {
        let directories = BaseDirectories(variable: { environment[$0] }, homeDirectory: "")
        if let activation = try Activation(environment: environment) {
            self = .passed(activation, registry: directories.registry)
        } else {
            self = .path(try settings.requiredSocket(), registry: directories.registry)
        }
    }

    /// The same without connected clients, and with new descriptors for what listens: a server closes its own.
    func forNextServer() throws -> ServedSocket {
        guard case .passed(let activation, let registry) = self else { return self }
        return .passed(try activation.duplicatingListeners(), registry: registry)
    }

    /// For people.
    fileprivate var name: String {
        switch self {
        case .passed(let activation, _):
            activation.sockets.map { $0.path ?? "a client" }.joined(separator: ", ")
        case .path(let path, _): path
        }
    }

    /// Where clients find userd; nil if they can't connect.
    fileprivate var path: String? {
        switch self {
        case .passed(let activation, _): activation.sockets.compactMap(\.path).first
        case .path(let path, _): path
        }
    }

    fileprivate var registry: String? {
        switch self {
        case .passed(_, let registry), .path(_, let registry): registry
        }
    }
}

struct SocketService: Service {
    let server: VarlinkServer
    let socket: ServedSocket
    let logger: Logger
    let onListening: @Sendable () -> Void
    let onEnding: @Sendable () -> Void

    func run() async throws {
        let link = Mutex<RegistryLink?>(nil)
        defer {
            // A manager that passed a socket goes on listening, and starts userd again.
            if case .path = socket { link.withLock { $0 }?.remove() }
        }
        let listening = { @Sendable in
            link.withLock { $0 = register() }
            logger.notice("Listening", metadata: ["socket": "\(socket.name)"])
            onListening()
        }
        try await cancelWhenGracefulShutdown {
            switch socket {
            case .passed(let activation, _):
                try await server.run(on: activation, onListening: listening, onEnding: onEnding)
            case .path(let path, _):
                try await server.run(at: path, onListening: listening, onEnding: onEnding)
            }
        }
    }

    /// A failure is only logged: clients also find userd without the link.
    private func register() -> RegistryLink? {
        guard let path = socket.path, let registry = socket.registry else { return nil }
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
