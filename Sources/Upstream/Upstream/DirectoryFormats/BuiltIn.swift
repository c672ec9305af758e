import Model

/// The formats that come with userd: each has a file in `Formats`, a line here, and its name in Package.swift.
extension DirectoryFormat {
    private static let files: [(name: String, yaml: [UInt8])] = [
        ("scim", PackageResources.scim_yaml),
        ("graph", PackageResources.graph_yaml),
        ("google", PackageResources.google_yaml),
        ("google-people", PackageResources.google_people_yaml),
        ("okta", PackageResources.okta_yaml),
        ("keycloak", PackageResources.keycloak_yaml),
        ("gitlab", PackageResources.gitlab_yaml),
        ("userd", PackageResources.userd_yaml),
        ("json", PackageResources.json_yaml),
        ("ldap", PackageResources.ldap_yaml),
        ("randomuser", PackageResources.randomuser_yaml),
        ("catfact", PackageResources.catfact_yaml),
    ]

    /// The formats of the upstreams that userd uses if the settings name none.
    package static let defaults = ["randomuser", "catfact"]

    /// The other formats of users.
    package static let names = files.map(\.name).filter { !defaults.contains($0) }

    /// The format's file as text; nil if the name is unknown.
    package static func text(of name: String) -> String? {
        files.first { $0.name == name }.map { String(decoding: $0.yaml, as: UTF8.self) }
    }

    /// - Parameter name: the name of a format that comes with userd.
    package static func builtIn(_ name: String) throws(FormatMistake) -> DirectoryFormat {
        guard let format = try named(name) else { throw FormatMistake("unknown format \(name)") }
        return format
    }

    /// A format that comes with userd; nil if the name is unknown.
    package static func named(_ name: String) throws(FormatMistake) -> DirectoryFormat? {
        guard let file = files.first(where: { $0.name == name }) else { return nil }
        let fields =
            name == "catfact" ? FactField.allCases.map(\.rawValue) : UserField.all.map(\.name)
        return try DirectoryFormat(name: name, yaml: file.yaml, fields: fields)
    }
}
