import CardDAV
import Glibc
import Logging
import Model
import Platform
import Settings
import UserdAPI
import VarlinkServer

/// The sockets of the address book that a service manager passed on.
struct BookSocket: Sendable {
    static let name = "carddav"

    private let passed: [LoopbackSocket]

    /// Throws `ListenError`.
    init(_ environment: [String: String]) throws {
        let found = try Activation.passed(environment, getpid()) ?? []
        do throws(LoopbackSocket.Failure) {
            passed = try found.filter { $0.name == Self.name }.map {
                descriptor, _ throws(LoopbackSocket.Failure) in
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                return try LoopbackSocket(descriptor)
            }
        } catch {
            throw ListenError.activation(reason: "the descriptor called \(Self.name): \(error)")
        }
    }

    /// A server closes it.
    func open(port: Int) throws(LoopbackSocket.Failure) -> LoopbackSocket {
        guard let other = passed.first else { return try .open(port: port) }
        guard let own = passed.first(where: { $0.port == port }) else {
            throw LoopbackSocket.Failure(
                "systemd listens at port \(other.port), but carddav.port is \(port): "
                    + "run `userctl carddav enable`, which changes both")
        }
        return try own.duplicate()
    }
}

struct BookConfiguration: Equatable {
    let port: Int
    let query: BookQuery
    let password: Secret

    /// Nil if there is no address book, or no password, which is logged.
    init?(_ settings: Settings.CardDAV, _ logger: Logger) {
        guard let port = settings.port, let file = settings.passwordFile else { return nil }
        self.port = port
        query = BookQuery(
            search: settings.search, department: settings.department, hasPictures: settings.pictures,
            maximum: settings.maxUsers)
        do throws(SettingsError) {
            let (password, warnings) = try Secret.read(.addressBook, fromFile: file)
            for warning in warnings { logger.warning("\(warning)") }
            self.password = password
        } catch {
            logger.error(
                "The address book is not served",
                metadata: ["reason": "\(error); `userctl carddav enable` writes a password"])
            return nil
        }
    }
}

/// Serves the address book as the settings say.
struct BookServing: Sendable {
    let changes: AsyncStream<BookConfiguration?>
    let socket: BookSocket
    let reads: ReadMethods
    let sleep: @Sendable (Duration) async throws -> Void
    let logger: Logger

    private static let pauseBeforeRetry = Duration.seconds(10)

    /// Runs until the task is cancelled. A failure is only logged: all others need no address book.
    func run() async {
        await changes.following { configuration in
            if let configuration { await serve(configuration) }
        }
    }

    private func serve(_ configuration: BookConfiguration) async {
        var complaint: String?
        while !Task.isCancelled {
            do {
                let listener = try socket.open(port: configuration.port)
                logger.notice(
                    "Serving the address book",
                    metadata: ["url": "http://127.0.0.1:\(configuration.port)/"])
                try await CardDAVServer(
                    configuration.query, reads, password: configuration.password.value, sleep: sleep,
                    logger: logger
                ).run(on: listener)
            } catch {
                guard !Task.isCancelled else { return }
                // The same reason is logged once.
                if complaint != "\(error)" {
                    logger.error("The address book is not served", metadata: ["reason": "\(error)"])
                }
                complaint = "\(error)"
            }
            try? await sleep(Self.pauseBeforeRetry)
        }
    }
}
