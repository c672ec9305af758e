import Model
import StrictJSON
import UserdAPI

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
