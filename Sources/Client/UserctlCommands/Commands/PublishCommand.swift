import ArgumentParser
import Glibc
import Model
import Platform
import StrictJSON
import TerminalViews
import UserdAPI
import Varlink

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Write all users to a file that other machines read.",
        discussion: """
            Put the file on a web server of your organisation, behind its login, and connect the other machines' userd to it with \
            `format: userd`: so the directory's secret stays on one machine, and the directory is asked once for all.

            The file is replaced as a whole, and only if a user has changed, so web servers can answer that nothing is new. A new \
            file gets the mode of your umask; a replaced file keeps its mode and group. publish.kinds in config.yaml also writes groups, rooms \
            and the like, in a member of their own. With - as the file, the users are printed.

            Examples:
              userctl publish users.json
            """)

    @Argument(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var quiet: QuietOption
    @OptionGroup var paths: PathOptions

    func run() async throws {
        let console = quiet.console
        let connection = paths.connection(console)
        let kinds = try console.configuredKinds("publish.kinds")?.filter { $0 != .person } ?? []
        let document = try await connection.published(nil)
        let others = try await kinds.isEmpty ? nil : connection.published(kinds)
        if let freshness = document.freshness {
            guard freshness.age != nil else {
                throw CommandError(
                    "there is nothing to publish: no sync of users has succeeded yet", .failed,
                    advice: "`userctl status` says why")
            }
            console.note(freshness, of: .users, connection.source)
        }
        await warnOfInterval(connection, console)
        let bytes = document.bytes(others)
        let count = document.count + (others?.count ?? 0)
        let users = "\(grouped(count)) user\(count == 1 ? "" : "s")"
        guard file != "-" else { return try console.write(json: bytes) }
        if let old = try? RegularFile(file, upTo: bytes.count + 1).bytes, old == bytes {
            return console.notice("\(file) is up to date with \(users)")
        }
        let group = groupID(of: file)
        try writeAtomically(bytes, to: file)
        console.notice("published \(users) in \(file)")
        if let group, group != groupID(of: file) {
            console.say(
                "\(file) had the group \(group), which you are not in: `chgrp \(group)` it as root, or join the group"
            )
        }
    }
}

extension UserdOrCache {
    /// Reads all users of these kinds; nil for persons.
    fileprivate func published(_ kinds: [UserKind]?) async throws -> PublishedUsers {
        var document = PublishedUsers()
        func query(_ cursor: String?) -> ListUsers {
            ListUsers(limit: PublishedUsers.pageSize, cursor: cursor) { $0.kinds = kinds }
        }
        try await readAll({ try $0.listAllUsers(query(nil)) }) {
            try document.add($0)
            return document.isComplete ? .stop : .proceed
        }
        while !document.isComplete {
            try document.add(await read(.listUsers, \.listUsers, query(document.next)))
        }
        return document
    }
}

/// Says if somebody who has gone may be published for longer than readers of the file expect.
private func warnOfInterval(_ connection: UserdOrCache, _ console: Console) async {
    let states = (try? await connection.daemonState()?.decoded().states) ?? []
    guard states.first(where: { $0.resource == .users })?.scope == .changes else { return }
    let settings = connection.settings()
    func isDefault(_ name: String) -> Bool { settings.first { $0.name == name }?.origin == "default" }
    let isLDAP = settings.value(of: "users.format") == "ldap"
    let names = ["users.interval"] + (isLDAP ? ["users.ids_interval"] : [])
    guard names.contains(where: isDefault) else { return }
    console.say(
        """
        this list may be \(isLDAP ? "up to six hours" : "an hour") old, since userd reads only what changed; set \
        \(names.joined(separator: " and ")) to 15min in this machine's configuration
        """)
}

/// Nil if the file is missing.
private func groupID(of path: String) -> gid_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_gid : nil
}

/// The pages of users as one document, `{"users": [...], "others": [...]}`, without anything that changes if no user does.
private struct PublishedUsers {
    static let pageSize = 1000

    private var records: [UInt8] = []
    private(set) var count = 0
    private var last: ReplyPage?

    var next: String? { last?.next }
    var freshness: Freshness? { last?.freshness }
    /// An empty page ends the list, even if it has a cursor.
    var isComplete: Bool { last.map { $0.next == nil || $0.isEmpty } ?? false }

    mutating func add(_ reply: RawReply<UserList>) throws {
        let page = try ReplyPage(reply, records: Resource.users.rawValue)
        if !page.isEmpty {
            if count > 0 { records += Array(",\n".utf8) }
            records += page.records
            count += page.list.elements?.count ?? 0
        }
        last = page
    }

    /// - Parameter others: in a member of their own, which readers of persons do not look at; nil if only persons are published.
    func bytes(_ others: PublishedUsers?) -> [UInt8] {
        let rest = others.map { Array(#","others":["#.utf8) + $0.records + Array("]".utf8) } ?? []
        return Array(#"{"users":["#.utf8) + records + Array("]".utf8) + rest + Array("}\n".utf8)
    }
}
