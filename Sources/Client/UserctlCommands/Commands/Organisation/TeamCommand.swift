import ArgumentParser
import Model
import StrictJSON
import TerminalViews
import UserdAPI

struct TeamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "team", abstract: "Show a user's manager, peers and direct reports.",
        discussion: """
            The manager is first; below are the user with the direct reports, then the peers, who have the same manager. Without a \
            user, it is your own team: see the setting me. Several words are one key; if no user has it, searches for it.

            Examples:
              userctl team
              userctl team anna keller
              userctl team anna@example.com --output json | jq -r '.reports[].email'
            """)

    @OptionGroup var user: OrganisationUser
    @OptionGroup var header: HeaderOption
    @OptionGroup var format: FormatOption<DocumentFormat>
    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        try header.check(format.output, among: "tables", hasHeader: format.output == .table)
    }

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let id = try await user.id(connection, console)
        let chain = try await connection.chain(of: id, console).decoded()
        // Nobody looks through thousands of lines on a terminal.
        let limit = console.output.width == nil || format.output == .json ? TreeLimits.most : TreeLimits.usual
        func reports(of id: String) async throws -> ReportTree {
            try await connection.read(
                .listReports, \.listReports, ListReports(key: id, depth: 1, limit: limit)
            ).decoded()
        }
        let below = try await reports(of: id)
        let beside =
            if let manager = chain.managers.first { try await reports(of: manager.id) } else {
                nil as ReportTree?
            }
        let team = Team(chain: chain, below: below, beside: beside)
        switch format.output {
        case .json: try console.write(document: encoded(team))
        case .table:
            try console.show(PeopleTree(team.people, hasHeader: header.hasHeader, on: console.output))
            if team.people.count == 1 {
                console.notice("\(chain.user.shownName) has neither a manager nor reports")
            }
        }
        for (tree, noun, key) in [(below, "reports", id), (beside, "peers", chain.managers.first?.id)] {
            guard let tree, let key, tree.total > tree.positions.count else { continue }
            console.notice(
                "\(grouped(tree.total - tree.positions.count)) more \(noun): "
                    + "`userctl list --manager \(shellQuoted(key)) --all` lists them")
        }
        console.note(chain.freshness, of: .users, connection.source)
    }
}

/// JSON: what `userctl team --output json` prints.
private struct Team: Encodable {
    let user: User
    let manager: User?
    let peers: [User]
    let reports: [User]
    let freshness: Freshness
    /// The manager's name, if the manager is not among the users.
    let absentManager: String?

    enum CodingKeys: String, CodingKey {
        case user, manager
        case absentManager = "absent_manager"
        case peers, reports, freshness
    }

    init(chain: ManagerChain, below: ReportTree, beside: ReportTree?) {
        (user, manager, freshness) = (chain.user, chain.managers.first, chain.freshness)
        absentManager = chain.absentManager
        reports = below.positions.dropFirst().map(\.user)
        peers = (beside?.positions.dropFirst() ?? []).map(\.user)
            .filter { !$0.id.hasSameBytes(as: chain.user.id) }
    }

    var people: [PeopleTree.Person] {
        var people: [PeopleTree.Person] = []
        if let manager {
            people.append(.init(manager, depth: 0))
        } else if let absentManager {
            people.append(.init(absent: absentManager))
        }
        let depth = people.count
        people.append(.init(user, depth: depth, isMeant: true))
        people += reports.map { .init($0, depth: depth + 1) }
        return people + peers.map { .init($0, depth: depth) }
    }
}
