import YAML

/// The socket and the cache file that userd's config.yaml names, as absolute paths or as such in the home directory (`~/`).
/// If userd refuses the file, userctl uses its usual paths, and `userctl doctor` says so.
package struct ConfiguredPaths: Equatable {
    package let socket: String?
    package let database: String?

    /// - Parameter home: replaces `~` at the beginning; nil if it is unknown.
    package init(_ file: [UInt8], home: String?) {
        var members: [YAMLMember] = []
        if case .mapping(let found) = try? YAMLNode.document(file)?.content { members = found }
        func path(_ name: String) -> String? {
            guard case .scalar(let text, _) = members.first(where: { $0.name == name })?.value.content else {
                return nil
            }
            if text.hasPrefix("~/") { return home.map { $0 + text.dropFirst() } }
            return text.hasPrefix("/") ? text : nil
        }
        (socket, database) = (path("socket"), path("database"))
    }
}
