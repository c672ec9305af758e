import CommandSupport
import Platform

/// Lines for userd.service that let it read one person's Kerberos tickets, and name where they are.
package struct KerberosDropIn: Equatable {
    package enum Refusal: Error, Equatable {
        /// The kind of cache, such as `KEYRING`.
        case kind(String)
    }

    /// As KRB5CCNAME has it.
    package let cache: String
    /// A question about what else is opened; nil if nothing is.
    package let question: String?
    private let lines: [String]

    /// - Parameter cache: as KRB5CCNAME or klist(1) names it.
    package init(cache name: String) throws(Refusal) {
        let kind = name.hasPrefix("/") ? "FILE" : String(name.prefix { $0 != ":" })
        let path = name.hasPrefix("/") ? name : String(name.dropFirst(kind.utf8.count).drop { $0 == ":" })
        switch kind {
        // Its socket is in /run, which the service sees.
        case "KCM": (cache, question, lines) = (name, nil, [])
        case "FILE", "DIR":
            cache = "\(kind):\(path)"
            // A file that is bound alone goes stale, since kinit makes a new one.
            let folder = kind == "DIR" ? path : parent(of: path)
            if folder == "/tmp" || folder.hasPrefix("/tmp/") {
                question =
                    "the tickets are in /tmp, so userd will see all of /tmp, read-only; is that all right?"
                lines = ["PrivateTmp=no"]
            } else {
                question = nil
                lines = ["BindReadOnlyPaths=\"-\(folder.unitPath.replacing(":", with: "\\:"))\""]
            }
        default: throw .kind(kind)
        }
    }

    package var text: String {
        """
        # Written by `userctl service enable --kerberos`.
        [Service]
        Environment="KRB5CCNAME=\(cache.unitPath)"
        \(lines.map { $0 + "\n" }.joined())
        """
    }

    /// Where tickets are, by the environment, klist(1) or MIT's default.
    package static func cache(
        _ variable: String?, user: UInt32, _ run: (_ program: String, _ arguments: [String]) -> String?
    ) -> String {
        if let variable, !variable.isEmpty { return variable }
        let line = run("klist", [])?.split(separator: "\n").first { $0.hasPrefix("Ticket cache: ") }
        return line.map { String($0.dropFirst(14)) } ?? "FILE:/tmp/krb5cc_\(user)"
    }
}

extension String {
    /// Specifiers and quotes escaped (systemd.unit(5)).
    fileprivate var unitPath: String {
        replacing("%", with: "%%").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
