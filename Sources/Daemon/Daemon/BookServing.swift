import Cache
import CardDAV
import Glibc
import Logging
import Model
import Platform
import Reads
import Sync
import UserdAPI
import VarlinkServer

/// The sockets of the address book that a service manager passed on.
struct BookSocket: Sendable {
    static let name = "carddav"

    private let descriptors: [Int32]
    private var passed: [LoopbackSocket] = []

    /// Throws `ListenError`. A socket that can't be used is only logged: all others need no address book.
    init(_ environment: [String: String], _ logger: Logger) throws {
        descriptors = try (Activation.passed(environment, getpid()) ?? []).compactMap {
            $0.name == Self.name ? $0.descriptor : nil
        }
        for descriptor in descriptors {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            do throws(LoopbackSocket.Failure) { passed.append(try LoopbackSocket(descriptor)) } catch {
                logger.error(
                    "A socket that was passed for the address book can't be used",
                    metadata: ["reason": "the descriptor called \(Self.name): \(error)"])
            }
        }
    }

    /// The ports at which to serve. Each passed socket is served, whatever its port: a connection that waits would start
    /// userd again after its end.
    fileprivate func places(_ port: Int?) -> [LoopbackSocket?] {
        passed.isEmpty ? (port == nil ? [] : [nil]) : passed
    }

    /// Closes the connections that came while userd was ending: they would start it again.
    func turnAway() {
        for descriptor in descriptors { Activation.turnAway(descriptor) }
    }
}

/// The address book that the settings ask for, or why there is none.
struct BookConfiguration: Equatable {
    /// Nil if the settings have none.
    let port: Int?
    let content: CardDAVServer.Content

    init(_ loaded: LoadedSettings, _ logger: Logger) {
        let settings = loaded.settings
        let book = settings.carddav
        if settings.hasStandIn {
            // Mail clients would replace the people whom they have.
            port = nil
            let name = settings.replay == nil ? "mock" : "replay"
            content = .refusal("userd shows other people while the setting \(name) is in force")
            return
        }
        port = book.port
        if loaded.asksNobody {
            content = .refusal(Failure.notConnected.message)
            return
        }
        guard book.port != nil, let file = book.passwordFile else {
            content = .refusal("carddav.port is not set: run `userctl carddav enable`")
            return
        }
        do throws(SettingsError) {
            let (password, warnings) = try Secret.read(.addressBook, fromFile: file)
            for warning in warnings { logger.warning("\(warning)") }
            let query = BookQuery(
                search: book.search, department: book.department, hasPictures: book.pictures,
                maximum: book.maxUsers, kinds: book.kinds)
            content =
                query.mistake.map { .refusal("carddav.search \($0): change it in config.yaml") }
                ?? .book(query, password: password.value)
        } catch {
            content = .refusal("\(error); `userctl carddav enable` writes a password")
        }
    }

    /// The content for a socket: another one than the port's refuses.
    fileprivate func content(atPort served: Int) -> CardDAVServer.Content {
        guard case .book = content, let port, port != served else { return content }
        return .refusal(
            "systemd listens at port \(served), but carddav.port is \(port): "
                + "run `userctl carddav enable`, which changes both")
    }
}

private let pauseBeforeRetry = Duration.seconds(10)

extension Daemon {
    /// Serves the address book as the settings say, until the task is cancelled. A failure is only logged: all others need
    /// no address book.
    func serveBook(_ parts: Parts) async {
        await parts.books.following { configuration in
            await withTaskGroup(of: Void.self) { group in
                for passed in bookSocket.places(configuration.port) {
                    group.addTask { await serveBook(configuration, passed, parts.cache.reader) }
                }
                if case .book(let query, _) = configuration.content, query.hasPictures {
                    group.addTask { try? await parts.cache.pictures.digest() }
                }
            }
        }
    }

    /// - Parameter passed: nil to listen at the port of the settings.
    private func serveBook(
        _ configuration: BookConfiguration, _ passed: LoopbackSocket?, _ reader: CacheReader
    ) async {
        var complaint: String?
        func complain(_ reason: String) {
            // The same reason is logged once.
            if complaint != reason {
                logger.error("The address book is not served", metadata: ["reason": "\(reason)"])
            }
            complaint = reason
        }
        while !Task.isCancelled {
            do {
                if passed == nil, case .refusal(let reason) = configuration.content {
                    return complain(reason)
                }
                // A server closes it.
                let listener = try passed?.duplicate() ?? .open(port: configuration.port ?? 0)
                let content = configuration.content(atPort: listener.port)
                switch content {
                case .refusal(let reason): complain(reason)
                case .book:
                    logger.notice(
                        "Serving the address book", metadata: ["url": "http://127.0.0.1:\(listener.port)/"])
                }
                let server = CardDAVServer(
                    content, ReadMethods(reader), sleep: environment.sleep, logger: logger)
                try await server.run(on: listener)
            } catch {
                guard !Task.isCancelled else { return }
                complain("\(error)")
            }
            try? await environment.sleep(pauseBeforeRetry)
        }
    }
}
