import ArgumentParser
import Model
import StrictJSON
import TerminalViews
import UserdAPI

struct OrgCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "org", abstract: "Show everybody below a user, or the managers above.",
        discussion: """
            Each user is followed by those below, in the order of names; reports is how many users have this one as their manager. \
            Without --depth, there are two levels and at most \(TreeLimits.usual) users; with it, at most \(grouped(TreeLimits.most)). \
            Without a user, it is you: see the setting me. Several words are one key; if no user has it, searches for it.

            Examples:
              userctl org anna keller
              userctl org anna@example.com --depth 3
              userctl org --up
              userctl org anna@example.com --output json | jq -r '.below[].user.email'
            """)

    @OptionGroup var user: OrganisationUser

    @Flag(help: "Show the managers: up to the head of all.")
    var up = false

    // Unconditional, so that a negative number is not taken for an option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show so many levels below the user.", valueName: "number"))
    var depth: Int?

    @OptionGroup var header: HeaderOption
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    private static let usualDepth = 2

    mutating func validate() throws {
        try header.check(format.output, among: "tables", hasHeader: format.output == .table)
        try validatePositive(depth, "--depth")
        if up, depth != nil {
            throw ValidationError("--depth counts levels below the user; leave out --up or --depth.")
        }
    }

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let id = try await user.id(connection, console)
        let answer = try await connection.chain(of: id, console)
        let chain = try answer.decoded()
        if up {
            switch format.output {
            case .json: try console.write(document: answer.bytes)
            case .table:
                try console.show(PeopleTree(chain.people, hasHeader: header.hasHeader, on: console.output))
                if let notice = chain.notice { console.notice(notice) }
            }
        } else {
            try await showBelow(id, connection, console)
        }
        console.note(chain.freshness, of: .users, connection.source)
    }

    private func showBelow(_ id: String, _ connection: UserdOrCache, _ console: Console) async throws {
        func tree(_ depth: Int?, _ limit: Int) async throws -> RawReply<ReportTree> {
            try await connection.read(
                .listReports, \.listReports, ListReports(key: id, depth: depth, limit: limit))
        }
        let levels = depth ?? Self.usualDepth
        let answer = try await tree(levels, depth == nil ? TreeLimits.usual : TreeLimits.most)
        let found = try answer.decoded()
        switch format.output {
        case .json: try console.write(document: found.nested(records: answer))
        case .table:
            let people = found.positions.map {
                PeopleTree.Person($0.user, depth: $0.depth, reports: $0.reports)
            }
            try console.show(PeopleTree(people, hasHeader: header.hasHeader, on: console.output))
            if people.count == 1 { console.notice("\(found.positions[0].user.shownName) has no reports") }
        }
        guard !console.isQuiet else { return }
        let shown = found.positions.count
        if found.total > shown {
            let total = "\(found.total > TreeLimits.most ? "at least " : "")\(grouped(found.total))"
            console.notice(
                "only \(grouped(shown)) of \(total) in these levels are shown: "
                    + (depth == nil
                        ? "--depth \(levels) shows up to \(grouped(TreeLimits.most))"
                        : "name one of them to show those below"))
        } else if found.positions.contains(where: { $0.depth == levels && $0.reports > 0 }) {
            let total = try await tree(nil, 1).decoded().total
            // They may be among those above, in a circle.
            guard total > shown else { return }
            let isCounted = total <= TreeLimits.most
            console.notice(
                "\(isCounted ? "" : "at least ")\(grouped(total - shown)) more below: --depth \(levels + 1) shows another level"
            )
        }
    }
}

extension ReportTree {
    /// Each user with those below, as JSON. The users are as userd sends them.
    fileprivate func nested(records answer: RawReply<ReportTree>) throws -> [UInt8] {
        let records = answer.value["positions"]?.elements ?? []
        var (json, last) = ([UInt8](), -1)
        for (position, record) in zip(positions, records) {
            if position.depth <= last {
                for _ in position.depth...last { json += Array("]}".utf8) }
                json += Array(",".utf8)
            }
            last = position.depth
            json += Array("{\"user\":".utf8) + Array(record["user"]?.raw ?? [])
            json += Array(",\"reports\":\(position.reports),\"below\":[".utf8)
        }
        for _ in stride(from: last, to: 0, by: -1) { json += Array("]}".utf8) }
        return json + Array("],\"total\":\(total),\"freshness\":".utf8) + (try encoded(freshness))
            + Array("}".utf8)
    }
}

extension ManagerChain {
    /// The name of the last one's manager, who is not among the users; nil if there is none.
    var absentManager: String? {
        end == .absent ? (managers.last ?? user).manager?.shownName : nil
    }

    /// The names of all managers, the nearest first.
    var names: [String] { managers.map(\.shownName) + [absentManager].compactMap(\.self) }

    /// From the head of all to the user.
    fileprivate var people: [PeopleTree.Person] {
        let above = absentManager.map { [PeopleTree.Person(absent: $0)] } ?? []
        let found = (managers.reversed() + [user]).enumerated().map { place, user in
            PeopleTree.Person(user, depth: above.count + place, isMeant: place == managers.count)
        }
        return above + found
    }

    /// The reason that there are no more managers, for people; nil at the head of all.
    fileprivate var notice: String? {
        switch end {
        case .top: managers.isEmpty ? "\(user.shownName) has no manager" : nil
        case .absent: nil
        case .circle:
            "the managers go round in a circle: \((managers.last ?? user).shownName)'s manager is \((managers.last ?? user).manager?.shownName ?? "") again"
        case .limit: "only the nearest \(managers.count) managers are shown"
        }
    }
}
