import Foundation
import TestSupport

/// A unit as it is in the sources.
func unitSource(_ name: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "systemd/\(name)"), encoding: .utf8)
}

extension UserManager {
    /// A unit of the sources with the path of this manager's userd.
    func unit(_ name: String) throws -> String {
        try unitSource(name).replacing("/usr/bin/userd", with: "\(home)/.local/bin/userd")
    }

    /// Installs userd's units, and settings with the machine's upstream only.
    /// - Parameter settings: additional ones by name, such as `users.page_size`.
    func installUnits(_ settings: [String: String] = [:]) async throws {
        try configure(settings)
        for unit in ["userd.socket", "userd.service"] { try await install(unit, self.unit(unit)) }
    }

    /// Adds lines to userd.service.
    func addToService(_ lines: String) async throws {
        try write("[Service]\n\(lines)\n", to: ".config/systemd/user/userd.service.d/test.conf")
        try await systemctl("daemon-reload")
    }

    /// Writes the configuration file, in one step.
    func configure(_ settings: [String: String] = [:]) throws {
        let text = Self.lines(
            machine.settings(settings).map { ($0.key.split(separator: ".")[...], $0.value) }, indent: "")
        try write(text, to: ".config/userd/config.yaml")
    }

    /// Settings as YAML, nested by the parts of their names.
    private static func lines(
        _ settings: [(name: ArraySlice<Substring>, value: String)], indent: String
    ) -> String {
        Dictionary(grouping: settings) { $0.name.first ?? "" }.sorted { $0.key < $1.key }.map {
            key, members in
            if members.count == 1, members[0].name.count == 1 {
                return "\(indent)\(key): \"\(members[0].value)\"\n"
            }
            let inner = members.map { (name: $0.name.dropFirst(), value: $0.value) }
            return "\(indent)\(key):\n" + lines(inner, indent: indent + "  ")
        }.joined()
    }
}
