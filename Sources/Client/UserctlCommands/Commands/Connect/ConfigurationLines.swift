import Model
import YAML

/// Settings as lines of config.yaml.
func configurationLines(_ settings: [DiscoveredSetting]) throws -> [String] {
    let file = try Configuration([]).setting(settings.map { ($0.name, $0.yaml) })
    return String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}

extension DiscoveredSetting {
    /// Parameters are YAML already; texts that YAML could read in another way are quoted.
    var yaml: String {
        let isPlain = value.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                || "-._/@ ".utf8.contains($0)
        }
        let isAddress =
            value.contains("://") && value.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }
        if ["demo", "users.oauth.parameters"].contains(name) || isAddress
            || isPlain && !["", "true", "false", "null"].contains(value)
        {
            return value
        }
        let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}
