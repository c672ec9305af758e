import ArgumentParser
import DemoUpstream
import FoundationEssentials
import Glibc
import Platform

@main
struct DemoUpstreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userd-demo-upstream",
        abstract: "An HTTP server that answers like randomuser.me, catfact.ninja and directories.",
        discussion: """
            It serves /api/, /fact, /facts and /portraits/, and directories of the same people: SCIM 2.0 at
            /scim/v2/Users (by cursors at /scim/cursors/Users), and /directory/link, url, cursor, offset and number.

            EXAMPLES
              userd-demo-upstream --users 100000 --port-file /tmp/port
              curl http://127.0.0.1:8080/control/edit -d '{"changed": [0, 7]}'
            """)

    @Option(help: "The port; 0 for a free one.")
    var port = 0

    @Option(help: "Write the port to this file once it listens.")
    var portFile: String?

    @Option(help: "The number of people. (default: endless)")
    var users: Int?

    @Option(help: "The number of facts, at most 120.")
    var facts = 120

    @Option(help: "A fault, such as status,status=503,path=/api,times=1; can be repeated.")
    var fault: [String] = []

    @Option(help: "A token that directories require. (default: none)")
    var token: String?

    static func main() { start() }

    func run() async throws {
        for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
        var configuration = DemoUpstream.Configuration()
        (configuration.port, configuration.users, configuration.facts) = (port, users, facts)
        configuration.token = token
        configuration.faults = try fault.map { try Fault(text: $0) }
        let upstream = try await DemoUpstream(configuration)
        if let portFile {
            try Data("\(upstream.port)\n".utf8).write(to: URL(filePath: portFile), options: .atomic)
        }
        print("listening on \(upstream.url())")
        fflush(nil)
        for await _ in upstream.arrivals() {}
    }
}
