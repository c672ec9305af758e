import ArgumentParser
import CommandSupport
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
            file gets the mode of your umask; a replaced file keeps its own.

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
        var document = PublishedUsers()
        try await connection.readAll({ try $0.listAllUsers(.init(limit: PublishedUsers.pageSize)) }) {
            try document.add($0)
            return document.isComplete ? .stop : .proceed
        }
        while !document.isComplete {
            try document.add(
                await connection.read(
                    .listUsers, \.listUsers, .init(limit: PublishedUsers.pageSize, cursor: document.next)))
        }
        if let freshness = document.freshness {
            guard freshness.age != nil else {
                throw CommandError(
                    "there is nothing to publish: no sync of users has succeeded yet", .failed,
                    advice: "`userctl status` says why")
            }
            console.note(freshness, of: .users, connection.source)
        }
        let bytes = document.bytes
        let users = "\(grouped(document.count)) user\(document.count == 1 ? "" : "s")"
        if let old = try? RegularFile(file, upTo: bytes.count).bytes, old == bytes {
            return console.notice("\(file) is up to date with \(users)")
        }
        try writeAtomically(bytes, to: file)
        console.notice("published \(users) in \(file)")
    }
}

/// The pages of users as one document, `{"users": [...]}`, without anything that changes if no user does.
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

    var bytes: [UInt8] { Array(#"{"users":["#.utf8) + records + Array("]}\n".utf8) }
}
