import Platform

/// Lines for userd.service that let it read one person's Kerberos tickets, and name where they are.
struct KerberosDropIn {
    let cache: TicketCache
    /// A question about what else is opened; nil if nothing is.
    let question: String?
    private let line: String?

    /// Nil for tickets that a service can't have, or not without the sockets of the session, such as its bus.
    /// - Parameters:
    ///   - places: of much else, such as the home directory, which are not opened without a question.
    ///   - runtime: the runtime directory.
    init?(_ cache: TicketCache, places: [String], runtime: String?) {
        self.cache = cache
        // A file that is bound alone goes stale, since kinit makes a new one.
        let folder: String
        switch cache {
        case .file(let path): folder = parent(of: path)
        case .folder(let path): folder = path
        case .other(kind: "KCM", _):
            // Its socket is in /run, which the service sees.
            (question, line) = (nil, nil)
            return
        case .other: return nil
        }
        func holds(_ place: String) -> Bool { folder == "/" || "\(place)/".hasPrefix("\(folder)/") }
        if let runtime, holds(runtime) { return nil }
        let isInTmp = folder == "/tmp" || folder.hasPrefix("/tmp/")
        let opened = isInTmp ? "/tmp" : folder
        question =
            isInTmp || places.contains(where: holds)
            ? """
            the tickets are in \(opened), so userd will see all of \(opened), read-only, and may connect to the sockets there, \
            such as those of tmux and ssh-agent; tickets in KCM: or in a folder of their own (DIR:, as default_ccache_name \
            in /etc/krb5.conf) open nothing else. Open \(opened) all the same?
            """ : nil
        line = isInTmp ? "PrivateTmp=no" : boundLine(folder)
    }

    var text: String {
        """
        # Written by `userctl service enable --kerberos`.
        [Service]
        Environment="KRB5CCNAME=\(cache.description.unitPath)"
        \(line.map { $0 + "\n" } ?? "")
        """
    }
}

/// Lines for userd.service that let it read a secret's file that another program renews. Its folder is bound, since a renewed
/// file is often a new one.
func secretDropIn(_ path: String) -> String {
    "# Written by `userctl connect`.\n[Service]\n\(boundLine(parent(of: path)))\n"
}

func boundLine(_ folder: String) -> String {
    "BindReadOnlyPaths=\"-\(folder.unitPath.replacing(":", with: "\\:"))\""
}

extension DoctorProbes {
    /// The cache of tickets that the environment or klist(1) names, or MIT's default.
    /// - Parameter variable: KRB5CCNAME.
    func ticketCache(_ variable: String?) -> TicketCache {
        let named = variable.flatMap { $0.isEmpty ? nil : $0 } ?? Klist(self).cache
        return named.map(TicketCache.init) ?? .usual(of: user().id)
    }
}

extension String {
    /// Specifiers and quotes escaped (systemd.unit(5)).
    fileprivate var unitPath: String {
        replacing("%", with: "%%").replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}
