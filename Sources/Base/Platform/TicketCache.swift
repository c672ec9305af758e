/// A place of Kerberos tickets, as KRB5CCNAME names it (https://web.mit.edu/kerberos/krb5-latest/doc/basic/ccache_def.html).
package enum TicketCache: Hashable, Sendable, CustomStringConvertible {
    case file(String)
    case folder(String)
    /// KCM, KEYRING and others.
    case other(kind: String, rest: String)

    package init(_ name: String) {
        let kind = name.hasPrefix("/") ? "FILE" : String(name.prefix { $0 != ":" })
        let rest = name.hasPrefix("/") ? name[...] : name.dropFirst(kind.utf8.count + 1)
        self =
            switch kind {
            case "FILE": .file(String(rest))
            // With a second colon, one file of the folder, which is read as any other.
            case "DIR" where rest.hasPrefix(":"): .file(String(rest.dropFirst()))
            case "DIR": .folder(String(rest))
            default: .other(kind: kind, rest: String(rest))
            }
    }

    /// MIT's default.
    package static func usual(of user: UInt32) -> TicketCache { .file("/tmp/krb5cc_\(user)") }

    package var description: String {
        switch self {
        case .file(let path): "FILE:\(path)"
        case .folder(let path): "DIR:\(path)"
        case .other(let kind, let rest): "\(kind):\(rest)"
        }
    }

    /// Nil if it is neither a file nor a folder.
    package var path: String? {
        switch self {
        case .file(let path), .folder(let path): path
        case .other: nil
        }
    }
}
