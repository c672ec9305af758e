import Model

/// Settings as lines of config.yaml, nested by the parts of their names.
package func configurationLines(_ settings: [DiscoveredSetting]) -> [String] {
    var lines: [String] = []
    var open: [Substring] = []
    for setting in settings {
        let parts = setting.name.split(separator: ".")
        let sections = parts.dropLast()
        let common = zip(open, sections).prefix { $0 == $1 }.count
        for (depth, section) in sections.enumerated().dropFirst(common) {
            lines.append(indent(depth) + section + ":")
        }
        open = Array(sections)
        lines.append(indent(sections.count) + "\(parts.last ?? ""): \(setting.yaml)")
    }
    return lines
}

/// The files of secrets among settings, each with the address that the secret is for.
package func secretOrigins(
    _ settings: [DiscoveredSetting], home: String?
) -> [(path: String, address: String)] {
    func value(_ name: String) -> String? { settings.first { $0.name == name }?.value }
    let provider = value("users.oauth.token_url") ?? value("users.oauth.issuer")
    return settings.compactMap { setting in
        guard setting.name.hasSuffix("_file"),
            let address = setting.name.hasSuffix("client_secret_file") ? provider : value("users.url")
        else { return nil }
        let isAtHome = setting.value.hasPrefix("~/")
        return ((isAtHome ? home ?? "~" : "") + setting.value.dropFirst(isAtHome ? 1 : 0), address)
    }
}

private func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

extension DiscoveredSetting {
    /// Parameters are YAML already; texts that YAML could read in another way are quoted.
    fileprivate var yaml: String {
        let isPlain = value.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                || "-._/@ ".utf8.contains($0)
        }
        let isAddress =
            value.contains("://") && value.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
        if name == "users.oauth.parameters" || isAddress
            || isPlain && !["true", "false", "null"].contains(value)
        {
            return value
        }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
