/// The user's service manager, through the machine-readable output of systemctl(1).
struct Systemctl {
    /// A unit's properties by name.
    typealias Properties = [String: String]

    private static let timeout = Duration.seconds(10)
    /// Longer than the units' own timeouts for start and stop.
    private static let unitTimeout = Duration.seconds(200)

    let probes: DoctorProbes

    /// The properties of each unit, in the given order; an unknown unit has properties, too.
    func show(_ units: [String], _ properties: [String]) throws(ProgramFailure) -> [Properties] {
        let list = "--property=" + properties.joined(separator: ",")
        let found = Self.read(try ask(["show", "--timestamp=unix", list] + units, Self.timeout))
        guard found.map({ $0["Id"] }) == units else {
            throw .refused("unrecognised output of systemctl")
        }
        return found
    }

    /// The names of the units in memory that match one of the patterns.
    func units(_ patterns: String...) throws(ProgramFailure) -> [String] {
        try ask(["list-units", "--all", "--plain", "--no-legend"] + patterns, Self.timeout)
            .split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    /// Runs a command that changes units: `start`, `enable`, …
    func tell(_ verb: String, _ units: [String]) throws(ProgramFailure) {
        _ = try ask(["--quiet", "--no-ask-password", verb] + units, Self.unitTimeout)
    }

    private func ask(_ arguments: [String], _ limit: Duration) throws(ProgramFailure) -> String {
        try probes.output(of: "systemctl", ["--user"] + arguments, within: limit)
    }

    /// `NAME=VALUE`, and an empty line between units.
    private static func read(_ text: String) -> [Properties] {
        text.split(separator: "\n\n").map { block in
            block.split(separator: "\n").reduce(into: [:]) { properties, line in
                let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { properties[String(parts[0])] = String(parts[1]) }
            }
        }
    }
}
