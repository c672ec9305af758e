/// The user's service manager, asked and told by way of systemctl(1), in what that prints for programs.
package struct Systemctl: Sendable {
    /// A unit's properties by their names.
    package typealias Properties = [String: String]

    package enum Failure: Error, Hashable, Sendable {
        /// Not a machine of systemd's.
        case missing
        /// In words for people.
        case refused(String)
    }

    private static let patience = Duration.seconds(10)
    /// Longer than units may take to start or to stop.
    private static let unitPatience = Duration.seconds(200)

    private let path: String
    private let run: DoctorProbes.Run

    package init(_ probes: DoctorProbes) throws(Failure) {
        guard let path = probes.find("systemctl") else { throw .missing }
        self.path = path
        run = probes.run
    }

    /// A unit that is not known has properties too.
    package func show(_ units: [String], _ properties: [String]) throws(Failure) -> [Properties] {
        let list = "--property=" + properties.joined(separator: ",")
        let found = Self.read(try ask(["show", "--timestamp=unix", list] + units, Self.patience))
        guard found.map({ $0["Id"] }) == units else {
            throw .refused("systemctl answers what is not known here")
        }
        return found
    }

    /// Has the manager do something that may take as long as units do: `start`, `enable`, …
    package func tell(_ verb: String, _ units: [String] = []) throws(Failure) {
        _ = try ask(["--quiet", "--no-ask-password", verb] + units, Self.unitPatience)
    }

    private func ask(_ arguments: [String], _ limit: Duration) throws(Failure) -> String {
        let ended: ProgramRun
        do { ended = try run(path, ["--user"] + arguments, limit) } catch {
            throw .refused("systemctl: \(error)")
        }
        guard ended.code == 0 else { throw .refused(ended.complaint) }
        return ended.output
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

/// What systemd-logind keeps: it can be asked for it only about those who are logged in or linger.
func lingers(_ user: String, _ probes: DoctorProbes) -> Bool {
    probes.file("/var/lib/systemd/linger/" + user, true) != .absent
}
