import ArgumentParser
import DemoUpstream
import Dispatch
import FoundationEssentials
import Glibc
import ProgramSupport

@main
struct DemoUpstreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "userd-demo-upstream",
        abstract:
            "An HTTP server that answers like randomuser.me, catfact.ninja and directories, for demonstrations and tests.",
        discussion: """
            It serves /api/, /fact, /facts and /portraits/. The same seed gives the same people on every machine.
            Directories list those people, too: SCIM 2.0 at /scim/v2/Users, and as other products have them
            /directory/link (Okta), /directory/url (Microsoft Graph), /directory/cursor (Google), /directory/offset
            (Keycloak) and /directory/number (no product); /oauth2/token issues tokens for them.
            Faults, edits and settings of the directories are set on the control port while it runs. It ends with
            SIGTERM or SIGINT.

            EXAMPLES
              userd-demo-upstream --port 8080 --control-port 8081
              userd-demo-upstream --users 100000 --port-file /tmp/demo.port
              userd-demo-upstream --fault status,status=503,retry_after=2,path=/api
              curl 'http://127.0.0.1:8080/api/?results=3&seed=abc&nat=ua,ir'
              control=http://127.0.0.1:8081/control
              curl -X PUT $control/faults -d '{"fault":"delay","milliseconds":500}'
              curl -X PUT $control/faults -d '{"fault":"down"}'
              curl -X DELETE $control/faults
              curl -X POST $control/edit -d '{"added":3,"changed":[0,7],"removed":1}'
              curl -X POST $control/edit -d '{"inactive":[4]}'
              curl -X PUT $control/directory -d '{"token":"x","scim_cursors":true}'
              curl -X DELETE $control/tokens
              curl $control/requests

            FAULTS
              delay,milliseconds=N          delays the answer
              slow,bytes_per_second=N       sends the body slowly
              stall                         sends only the headers
              status,status=N               optional: retry_after=TEXT, body=TEXT
              error_body,what=W             documented (200), rate_limit (429), or after_records: the error comes
                                            after half of the list
              redirect,location=URL         optional: status=N, such as 304
              rubbish,what=W                html, or bytes that are not HTTP
              empty                         a success with an empty list
              truncate                      fewer bytes than announced
              reset                         the connection is reset
              endless                       an endless body
              gzip                          Content-Encoding: gzip
              gzip_bomb                     endless gzip that inflates a hundredfold
              etag                          ETag and 304, unlike the real ones
              last_modified                 the same with Last-Modified
              last_page_grows               there is always another page of facts, or of a directory
              ignores_page                  always answers with the first page
              short_page                    a page of a directory has one user fewer
              large_total                   a directory says that it has ten users more
              down                          connections are refused
            All but down take path=/PATH (this path and those below it), times=N (number of requests) and after=N
            (number of requests that pass first).
            """)

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port; 0 for a free one.")
    var port = 0

    @Option(help: "The port of /control/…; 0 for a free one.")
    var controlPort = 0

    @Option(help: "Write the port to this file once it listens, and the control port on a second line.")
    var portFile: String?

    @Option(help: "The number of people. (default: endless)")
    var users: Int?

    @Option(help: "The number of facts.")
    var facts = 120

    @Option(help: "The maximum number of results of a request; a larger one counts as 1.")
    var maxResults = 5000

    @Flag(inversion: .prefixedNo, help: "A few people in a thousand have odd or missing fields.")
    var hard = true

    @Option(
        help: ArgumentHelp("A fault from the start, in the form below; can be repeated.", valueName: "fault"))
    var fault: [String] = []

    @Option(help: "A token that directories require, or one of /oauth2/token. (default: none)")
    var token: String?

    @Option(help: "The client that /oauth2/token knows.")
    var clientId = DemoUpstream.DirectorySettings().clientID

    @Option(help: "Its secret.")
    var clientSecret = DemoUpstream.DirectorySettings().clientSecret

    @Option(help: "The lifetime of issued tokens in seconds; 0 for no end, of which the answer says nothing.")
    var expiresIn = DemoUpstream.DirectorySettings().expiresIn

    @Flag(help: "SCIM has cursors (RFC 9865).")
    var scimCursors = false

    @Option(help: "The maximum size of a directory's page.")
    var maxPageSize = DemoUpstream.DirectorySettings().maxPageSize

    static func main() { start() }

    func run() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { end.yield() }
            source.resume()
            return source
        }
        let upstream = try await DemoUpstream.start(try upstreamConfiguration())
        if let portFile {
            try Data("\(upstream.port)\n\(upstream.controlPort)\n".utf8).write(
                to: URL(filePath: portFile), options: .atomic)
        }
        print("listening on \(upstream.url())")
        print("control on \(upstream.controlURL)")
        fflush(nil)
        for await _ in ends { break }
        await upstream.stop()
        for source in sources { source.cancel() }
    }

    private func upstreamConfiguration() throws -> DemoUpstream.Configuration {
        var configuration = DemoUpstream.Configuration()
        configuration.host = host
        configuration.port = port
        configuration.controlPort = controlPort
        configuration.users = users
        configuration.facts = facts
        configuration.maxResults = maxResults
        configuration.hard = hard
        configuration.directory.token = token
        configuration.directory.clientID = clientId
        configuration.directory.clientSecret = clientSecret
        configuration.directory.expiresIn = expiresIn
        configuration.directory.scimCursors = scimCursors
        configuration.directory.maxPageSize = maxPageSize
        configuration.faults = try fault.map { try FaultFields(short: $0).fault() }
        return configuration
    }
}
