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
        let groups = Dictionary(grouping: machine.settings(settings).sorted { $0.key < $1.key }) {
            $0.key.contains(".") ? String($0.key.prefix { $0 != "." }) : ""
        }
        var text = ""
        for (group, settings) in groups {
            if !group.isEmpty { text += "\(group):\n" }
            for (name, value) in settings {
                text += "\(group.isEmpty ? "" : "  ")\(name.split(separator: ".").last ?? ""): \"\(value)\"\n"
            }
        }
        try write(text, to: ".config/userd/config.yaml")
    }
}
