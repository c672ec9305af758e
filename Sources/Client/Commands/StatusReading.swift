import CommandSupport
import Model
import StrictJSON
import UserdAPI

/// `userctl status` without --watch.
package struct StatusReading: Hashable, Sendable {
    /// None are all.
    package var resources: [Resource] = []
    package var format = LineFormat.table
    package var quiet = false
    package var paths = Paths()

    func run() async throws {
        let console = Console.current.quiet(quiet)
        let connection = paths.connection(console)
        let answer = try await connection.daemonState()
        let daemon = try answer?.decoded()
        let states = if let daemon { daemon.states } else { try await connection.cachedStates() }
        try states.require(resources)
        let document = StatusDocument(try answer?.bytes ?? encoded(States(states: states)), of: resources)
        switch format {
        case .json: try console.write(document: document.bytes)
        case .ndjson: for line in document.lines { try console.write(json: line) }
        case .table:
            // The notice says where the states are from.
            try console.show(
                StatusView(
                    states.of(resources), daemon: daemon,
                    settings: daemon == nil ? [] : connection.settings(),
                    unavailability: quiet ? cacheNotice(connection.source) : nil, clock: console.clock))
        }
        console.note(connection.source)
    }
}

extension [State] {
    /// - Parameter resources: none are all.
    func of(_ resources: [Resource]) -> [State] {
        resources.isEmpty ? self : filter { resources.contains($0.resource) }
    }

    /// Throws if one of the resources is turned off, and has no state.
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

    /// - Parameter resources: none are all.
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

    /// A line for each state.
    var lines: [[UInt8]] { states.map(jsonLine) }
}
