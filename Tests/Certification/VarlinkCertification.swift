import ArgumentParser
import Logging
import UnixSignals
import Varlink
import VarlinkServer

@main
struct VarlinkCertification: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "varlink-certification", abstract: "Serve org.varlink.certification until SIGTERM.")

    @Argument(help: "The path of the socket.")
    var socket: String

    @Option(
        help: ArgumentHelp("Answer METHOD with REPLY, a JSON object.", valueName: "method=reply"),
        transform: Certification.Lie.init(text:))
    var lie: Certification.Lie?

    func run() async throws {
        let logger = Logger(
            label: "varlink-certification", factory: { StreamLogHandler.standardError(label: $0) })
        let service = try VarlinkService(
            vendor: "userd", product: "certification", version: "1", url: "https://userd.example",
            interfaces: [try Certification(lie: lie).handler()])
        let server = VarlinkServer(service: service, logger: logger)
        let signals = await UnixSignalsSequence(trapping: .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { [socket] group in
            group.addTask { try await server.run(at: socket) { logger.info("Listening") } }
            group.addTask { for await _ in signals { break } }
            try await group.next()
            group.cancelAll()
        }
    }
}

extension Certification.Lie {
    init(text: String) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ValidationError("expected METHOD=REPLY, not \(text)") }
        self.init(method: parts[0], reply: parts[1])
    }
}
