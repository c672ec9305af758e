import Model

extension LDAPConnection {
    /// Attributes of the root that tell the server's stamp, and to which parts of the directory it belongs.
    static let rootAttributes = [
        "namingContexts", "highestCommittedUSN", "dsServiceName", "lastusn", "nsBackendSuffix",
    ]

    /// The stamp of the part of the tree that the base is in.
    /// - Parameters:
    ///   - root: the root of the server's tree; nil if it is hidden from userd.
    ///   - token: what is known of the stamp: it spares requests.
    func stamp(of base: String, _ root: DirectoryEntry?, as token: StampToken? = nil) throws -> ServerStamp {
        let server = "\(socketAddress.map(\.hexadecimal).joined()) \(ticketHolder ?? "")"
        let none = ServerStamp(kind: .modifyTimestamp, server: server)
        if let number = root?.text("highestcommittedusn").flatMap(StampKind.usnChanged.valid),
            let service = root?.text("dsservicename")
        {
            // A controller that is restored from a backup counts anew, with another invocationId.
            guard let invocation = try entry(.entry(service, ["invocationId"]))?.values("invocationid").first
            else { return none }
            let identity = "\(service) \(invocation.map(\.hexadecimal).joined()) \(ticketHolder ?? "")"
            return ServerStamp(kind: .usnChanged, server: identity, values: [number])
        }
        if let number = root?.lastUSN(of: base) {
            return ServerStamp(kind: .entryUSN, server: server, values: [number])
        }
        let name = DistinguishedName(base)
        let suffix =
            token?.place
            ?? root?.texts("namingcontexts").first {
                !$0.isEmpty && name.isWithin(DistinguishedName($0), .sub)
            }
        guard let suffix, !suffix.isEmpty else { return none }
        let values = try entry(.entry(suffix, ["contextCSN"]))?.texts("contextcsn") ?? []
        let valid = values.compactMap(StampKind.entryCSN.valid).sorted { $0.serverOfCSN < $1.serverOfCSN }
        guard !valid.isEmpty, valid.count == values.count else { return none }
        return ServerStamp(kind: .entryCSN, server: server, place: suffix, values: valid)
    }

    /// The present stamp, of the kind of the token's if the server still has it.
    func stamp(of base: String, as token: StampToken) throws -> ServerStamp {
        switch token.kind {
        case .entryCSN: try stamp(of: base, nil, as: token)
        case .modifyTimestamp, .usnChanged, .entryUSN:
            try stamp(of: base, entry(.entry("", Self.rootAttributes)))
        }
    }

    /// Whether an entry is newer than the newest change: without the overlay syncprov, slapd keeps the contextCSN that the
    /// database was loaded with.
    func hasEntry(above stamp: ServerStamp) throws -> Bool {
        guard let newest = stamp.values.max() else { return true }
        var search = Search(
            base: stamp.place, scope: .sub, filter: "(&(entryCSN>=\(newest))(!(entryCSN=\(newest))))",
            attributes: ["1.1"])
        search.sizeLimit = 1
        var isFound = false
        do { _ = try self.search(search) { _ in isFound = true } } catch let error as ResultError
            where !error.code.isPassing
        {
            // The server can't tell; the whole list can.
            return true
        }
        return isFound
    }
}

extension DirectoryEntry {
    /// The count of changes in the database of the base (389 Directory Server). It is nil without the USN plug-in. Until there
    /// is a change, the server says -1.
    fileprivate func lastUSN(of base: String) -> String? {
        let name = DistinguishedName(base)
        // userRoot:dc=example,dc=org
        let backends = texts("nsbackendsuffix").compactMap { text -> String? in
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let suffix = DistinguishedName(String(text[text.index(after: colon)...]))
            return name.isWithin(suffix, .sub) ? text[..<colon].lowercased() : nil
        }
        let counts = attributes.filter { $0.name.hasPrefix("lastusn") }
        let own = counts.first { count in backends.contains { count.name == "lastusn;\($0)" } }
        guard let count = own ?? (counts.count == 1 ? counts.first : nil) else { return nil }
        let number = count.values.first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return number == "-1" ? "0" : StampKind.entryUSN.valid(number)
    }
}
