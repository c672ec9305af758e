import Model

/// Answers the searches of GNOME Shell (`org.gnome.Shell.SearchProvider2`) and of KRunner (`org.kde.krunner1`) on the
/// person's own bus.
///
/// Whatever is typed comes here, so only the desktop may ask: whoever else calls gets `AccessDenied`. No method lists
/// people, and nothing of a search is written anywhere.
final class DesktopSearch {
    static let name = "io.userd.Search"
    static let path = "/io/userd/Search"
    /// Ends after so long without a call.
    static let usualIdleTime = Duration.seconds(30)
    private static let askers = ["org.gnome.Shell", "org.kde.krunner", "org.kde.plasmashell"]
    static let icon = "x-office-address-book"
    /// In bytes; no name is longer.
    private static let longestText = 500
    private static let mostRemembered = 500
    private static let mostWaiting = 20

    /// All that the search needs from elsewhere.
    struct Needs: Sendable {
        var find: @Sendable (_ text: String) async -> [User]
        /// By id.
        var person: @Sendable (_ id: String) async -> User?
        var act: @Sendable (DesktopDeed) -> Void
    }

    /// A search without an answer yet.
    private struct Query {
        let call: BusMessage
        let text: String
        let reply: ([DesktopRow]) throws -> Void
    }

    private let needs: Needs
    private let words: DesktopWords
    private var queries: [Query] = []
    /// Actions that need a person's data, by id.
    private var actions: [(action: DesktopRow.Action, id: String)] = []
    /// GNOME asks for the names of ids some time after the search, when the person may be gone.
    private var names: [String: DesktopRow] = [:]

    init(_ needs: Needs, _ words: DesktopWords) { (self.needs, self.words) = (needs, words) }

    /// Answers calls until none has come for the idle time.
    func serve(_ bus: SessionBus, idle: Duration = usualIdleTime) async throws {
        try bus.export(Self.path) { [unowned bus] in try self.answer($0, bus) }
        try bus.request(name: Self.name)
        try await bus.handle(untilIdleFor: idle) {
            await self.settle()
            return true
        }
        // The bus starts another process for the next call; those that came before are answered here.
        try bus.release(name: Self.name)
        while try bus.handleAll() { await settle() }
    }

    private static let signatures = [
        "org.gnome.Shell.SearchProvider2": [
            "GetInitialResultSet": "as", "GetSubsearchResultSet": "asas", "GetResultMetas": "as",
            "ActivateResult": "sasu", "LaunchSearch": "asu",
        ],
        "org.kde.krunner1": ["Actions": "", "Match": "s", "Run": "ss", "Teardown": "", "Config": ""],
    ]

    private func answer(_ call: BusMessage, _ bus: SessionBus) throws -> Bool {
        guard let signature = Self.signatures[call.interface]?[call.member] else { return false }
        let sender = call.sender
        guard !sender.isEmpty, Self.askers.contains(where: { bus.owner(of: $0) == sender }) else {
            throw BusError.accessDenied
        }
        guard call.hasSignature(signature) else { throw BusError.wrongArguments }
        switch call.member {
        case "GetInitialResultSet": try search(call)
        case "GetSubsearchResultSet":
            // The earlier results are empty if a key came before their answer.
            _ = try call.strings()
            try search(call)
        case "GetResultMetas": try describe(call.strings(), call)
        case "ActivateResult":
            try act(.card(id: call.string()), call)
        case "LaunchSearch":
            try act(.search(words: call.strings()), call)
        case "Match": try match(call)
        case "Run": try run(call)
        case "Actions": try listActions(call)
        case "Config": try call.reply { try $0.append([(String, BusMessage.Value)]()) }
        default: try call.reply()
        }
        return true
    }

    private func act(_ deed: DesktopDeed, _ call: BusMessage) throws {
        try call.reply()
        needs.act(deed)
    }
}

// MARK: - Searching

extension DesktopSearch {
    private func search(_ call: BusMessage) throws {
        let text = try call.strings().joined(separator: " ")
        add(
            Query(call: call, text: text) { rows in
                try call.reply { try $0.append(rows.map(\.id)) }
            })
    }

    private func match(_ call: BusMessage) throws {
        let text = try call.string()
        add(Query(call: call, text: text) { [words] rows in try call.reply { try $0.append(rows, words) } })
    }

    /// The desktops cancel nothing, and KRunner asks at each key. A query is overtaken by the next one of the same program,
    /// unless that is its beginning: KRunner's queries can come in another order than they were typed.
    static func isOvertaken(_ text: String, by next: String) -> Bool { !text.hasPrefix(next) }

    private func add(_ query: Query) {
        queries.removeAll { other in
            let isOvertaken =
                other.call.sender == query.call.sender && Self.isOvertaken(other.text, by: query.text)
            if isOvertaken { try? other.reply([]) }
            return isOvertaken
        }
        if queries.count == Self.mostWaiting { try? queries.removeFirst().reply([]) }
        queries.append(query)
    }

    private func settle() async {
        while !actions.isEmpty {
            let (action, id) = actions.removeFirst()
            if let user = await needs.person(id), let deed = action.deed(user) { needs.act(deed) }
        }
        while !queries.isEmpty {
            let query = queries.removeFirst()
            let isShort = query.text.utf8.count <= Self.longestText
            let rows = await (isShort ? needs.find(query.text) : []).compactMap { DesktopRow($0) }
            remember(rows)
            do {
                try query.reply(rows)
            } catch {
                // The desktop would wait for 25 seconds.
                try? query.reply([])
            }
        }
    }

    private func remember(_ rows: [DesktopRow]) {
        if names.count > Self.mostRemembered { names = [:] }
        for row in rows { names[row.id] = row }
    }

    /// GNOME shows none of the rows unless each id has one, also that of a person who is gone.
    private func describe(_ ids: [String], _ call: BusMessage) throws {
        try call.reply { reply in
            try reply.append("a", of: "a{sv}") {
                for id in ids {
                    let row = names[id]
                    // No text for the clipboard: Enter would replace what is there.
                    try reply.append([
                        ("id", .text(id)), ("name", .text(row?.name ?? words.name)),
                        ("description", .text(row?.description ?? "")), ("gicon", .text(Self.icon)),
                    ])
                }
            }
        }
    }
}

// MARK: - KRunner's actions

extension DesktopSearch {
    private func listActions(_ call: BusMessage) throws {
        try call.reply { reply in
            try reply.append("a", of: "(sss)") {
                for action in DesktopRow.Action.allCases {
                    try reply.append("r", of: "sss") {
                        for text in [action.rawValue, action.title(words), action.icon] {
                            try reply.append(text)
                        }
                    }
                }
            }
        }
    }

    private func run(_ call: BusMessage) throws {
        let (id, name) = try (call.string(), call.string())
        guard !name.isEmpty else { return try act(.card(id: id), call) }
        if let action = DesktopRow.Action(rawValue: name), actions.count < Self.mostWaiting {
            actions.append((action, id))
        }
        try call.reply()
    }
}

extension BusMessage {
    /// KRunner's rows.
    fileprivate func append(_ rows: [DesktopRow], _ words: DesktopWords) throws {
        try append("a", of: "(sssida{sv})") {
            for (number, row) in rows.enumerated() {
                try append("r", of: "sssida{sv}") {
                    for text in [row.id, row.name, DesktopSearch.icon] { try append(text) }
                    // Below all kinds that KRunner names, of which 10 (CompletionMatch) is the lowest and that of settings:
                    // they and applications come first, as they did without userd.
                    try append("i", Int32(1))
                    try append("d", 0.3 - Double(number) / 100)
                    try append([
                        ("subtext", .text(row.description)), ("category", .text(words.name)),
                        ("actions", .texts(row.actions.map(\.rawValue))),
                    ])
                }
            }
        }
    }
}
