import ArgumentParser
import Model
import StrictJSON
import UserdAPI

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of users and facts: phase, age, failure, next sync.",
        discussion: """
            json is userd's answer, which says more than the states; ndjson is a line for each of users and facts.

            Examples:
              userctl status
              userctl status users --watch
              userctl status --output ndjson
            """)

    @OptionGroup var resources: ResourceArguments

    @Flag(help: "Redraw it at each change, until interrupted; as json and ndjson, print lines.")
    var watch = false

    @OptionGroup var format: FormatOption<LineFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let resources = resources.resources
        let connection = paths.connection(console)
        if watch {
            console.output.endWithReader()
            return try await StatusWatch(
                connection.userd(), resources, format: format.output, console: console
            ).run(liveness: console.liveness(paths.paths))
        }
        let answer = try await connection.daemonState()
        let daemon = try answer?.decoded()
        let states = if let daemon { daemon.states } else { try await connection.cachedStates() }
        try states.require(resources)
        let document = StatusDocument(try answer?.bytes ?? encoded(States(states: states)), of: resources)
        switch format.output {
        case .json: try console.write(document: document.bytes)
        case .ndjson: for line in document.lines { try console.write(json: line) }
        case .table:
            // The notice says where the states are from.
            try console.show(
                StatusView(
                    states: states.of(resources), daemon: daemon,
                    settings: daemon == nil ? [] : connection.settings(),
                    unavailability: console.isQuiet ? cacheNotice(connection.source) : nil,
                    clock: console.clock))
        }
        console.note(connection.source)
    }
}

extension [State] {
    /// - Parameter resources: empty means all.
    func of(_ resources: [Resource]) -> [State] {
        resources.isEmpty ? self : filter { resources.contains($0.resource) }
    }

    /// Throws if a resource is turned off, and so has no state.
    func require(_ resources: [Resource]) throws {
        for resource in resources where !contains(where: { $0.resource == resource }) {
            throw UserdError.upstreamFailed(failure: .turnedOff(resource))
        }
    }
}

/// userd's state as raw JSON, with the states of some resources.
struct StatusDocument {
    private let members: [(name: String, value: JSONValue)]
    private let states: [JSONValue]

    /// - Parameter resources: empty means all.
    init(_ bytes: [UInt8], of resources: [Resource]) {
        members = JSONValue(trusting: bytes).members ?? []
        states = (members.first { $0.name == "states" }?.value.elements ?? []).filter { state in
            resources.isEmpty || resources.contains { $0.rawValue == state["resource"]?.string }
        }
    }

    var bytes: [UInt8] {
        let list =
            [UInt8(ascii: "[")] + states.map { Array($0.raw) }.joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "]")]
        return StrictJSON.object(members.map { ($0.name, $0.name == "states" ? list : Array($0.value.raw)) })
    }

    var lines: [[UInt8]] { states.map(jsonLine) }
}
