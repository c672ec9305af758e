import Foundation
import TestSupport
import Testing

extension UserManager {
    /// Runs the probe in userd's place, with its unit.
    /// - Parameters:
    ///   - words: removed from the unit.
    ///   - dropIn: added to it.
    /// - Returns: each attempt's result by its name.
    func probe(without words: [String] = [], dropIn: String = "") async throws -> [String: String] {
        try #require(try await probes([words], dropIn: dropIn)[words])
    }

    /// Runs the probe with several units at once.
    func probes(
        _ variants: [[String]], dropIn: String = ""
    ) async throws -> [[String]: [String: String]] {
        try await installUnits()
        try write("a key", to: ".ssh/id")
        try write("another's", to: ".config/another")
        let program = try String(
            contentsOfFile: VarlinkClients.program("sandbox_probe.py"), encoding: .utf8)
        try write(program, to: ".local/bin/probe.py")
        var units: [String] = []
        for (index, words) in variants.enumerated() {
            var unit = try unitSource("userd.service")
            for words in words {
                try #require(unit.contains(words), "\(words)")
                unit.replace(words, with: "")
            }
            unit.replace("/usr/bin/userd", with: "\(home)/.local/bin/userd")
            // Opened by systemd outside of the sandbox, so that the sandbox need not contain it.
            unit.replace(
                "[Install]",
                with: """
                    Type=oneshot
                    Restart=no
                    ExecStart=
                    ExecStart=/usr/bin/python3 -
                    StandardInput=file:\(home)/.local/bin/probe.py
                    """)
            unit.replace(/WantedBy=.*\nAlso=.*\n/, with: "")
            unit += dropIn
            units.append("probe\(index).service")
            try write(unit, to: ".config/systemd/user/probe\(index).service")
        }
        try await systemctl("daemon-reload")
        _ = try await run("/usr/bin/systemctl", ["--user", "start"] + units)

        // The namespaces outside of any sandbox.
        let shared = try await run(
            "/usr/bin/readlink", SandboxTests.namespaces.values.map { "/proc/self/ns/\($0)" }
        ).outputLines
        var result: [[String]: [String: String]] = [:]
        for (words, unit) in zip(variants, units) {
            var outcomes: [String: String] = [:]
            for line in try await journal(of: unit).split(separator: "\n") {
                guard let match = line.wholeMatch(of: /tried to (.+?): (.*)/) else { continue }
                let (name, outcome) = (String(match.1), String(match.2))
                outcomes[name] =
                    SandboxTests.namespaces[name] == nil
                    ? outcome : shared.contains(outcome) ? "the manager's" : "its own"
            }
            result[words] = outcomes
        }
        return result
    }
}
