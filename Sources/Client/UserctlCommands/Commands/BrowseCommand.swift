import ArgumentParser
import FoundationEssentials
import Glibc
import Model
import Platform
import TerminalViews
import UserdAPI

struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse", abstract: "Browse the users on a full screen, live.",
        discussion: """
            The list is on the left, the card of the selected user with the picture beside or below it. Typing searches. \
            Enter opens the whole card; there `y` copies the address, `t` copies the telephone number, `m` writes a mail, \
            `c` calls after Enter, `o` lists all actions of config.yaml by number, and `v` saves a vCard, named after the user, in the current folder. Right lists the selected user's direct \
            reports, Left the managers, nearest first, and Esc goes back. Tab marks users; then `y` copies the \
            addresses of all marked users, separated by commas. Marks stay when the search changes. Ctrl-Y does in the \
            list what `y` does on the card. Ctrl-G also finds groups, rooms and the like. The bottom line shows the state of the users; a sync's changes appear as \
            soon as they are committed. F1 lists the keys.

            Text is copied by wl-copy on Wayland, by xclip or xsel on X and by tmux, if they are installed. In any case \
            the terminal is also asked to copy it (OSC 52), which some terminals ignore.

            Examples:
              userctl browse
              userctl browse berg
              userctl browse --card anna@example.com
              NO_COLOR=1 userctl browse
            """)

    @Argument(help: "Start with a search for these words.")
    var words: [String] = []

    @Option(
        help: ArgumentHelp(
            "Start with the card of this user: an id, a username, an email address, or words to search for.",
            valueName: "user"),
        completion: .userKey)
    var card: String?

    @Flag(name: .customLong("by-id"), help: .hidden)
    var isByID = false

    @OptionGroup var kind: KindOption
    @OptionGroup var paths: PathOptions

    func validate() throws {
        if card != nil, !words.isEmpty { throw ValidationError("--card can't be combined with a search.") }
    }

    func run() async throws {
        let console = Console.current
        guard console.output.width != nil, let screen = FullScreen(input: STDIN_FILENO, output: STDOUT_FILENO)
        else {
            throw CommandError(
                "browse needs a terminal", .usage, advice: "`userctl list` prints the users anywhere")
        }
        try console.checkTerminal(for: "browse")
        let (actions, mistakes) = console.actions()
        // They are read when the screen is left.
        for mistake in mistakes { console.notice(mistake.text) }
        var session = BrowseSession(
            paths: paths.paths, console: console, query: words.joined(separator: " "), kinds: kind.kinds,
            actions: actions)
        if let card {
            let connection = paths.connection(console)
            // A search could find somebody else in the place of one who has gone.
            let reply =
                isByID
                ? try await connection.user(card, kinds: kind.kinds, console)
                : try await connection.user(matching: card, kinds: kind.kinds, console)
            session.show(try reply.decoded().user)
        }
        try session.run(on: screen)
    }
}

/// Users on a full screen, to browse or to choose from.
struct BrowseSession {
    let paths: Paths
    /// Its output is the screen.
    let console: Console
    var purpose = Browser.Purpose.browsing
    /// The search to start with.
    var query = ""
    /// The kinds to start with; nil for persons.
    var kinds: [UserKind]?
    var actions = UserAction.builtIn
    /// The user whose card is shown first.
    var card: User.ID?

    /// Starts with the user's card, above a search for the user.
    mutating func show(_ user: User) {
        card = user.id
        // A longer search is refused, and a name may have any length.
        query =
            [user.name.untitled, user.username, user.email].compactMap(\.self)
            .first { canSearch($0) && $0.utf8.count <= 200 && $0.split(separator: " ").count <= 5 } ?? ""
    }

    /// Throws `Outcome.interrupted` if no user was chosen.
    func choose(on screen: FullScreen) throws -> User {
        guard let user = try run(on: screen).first else { throw Outcome.interrupted }
        return user
    }

    /// - Returns: the chosen users.
    @discardableResult
    func run(on screen: FullScreen) throws -> [User] {
        if let daemon = try? paths.connection(console).userd().getState().decoded(),
            daemon.states.of([.users]).allSatisfy({ $0.count == 0 }), let words = daemon.notConnected
        {
            throw CommandError(words, .failed)
        }
        switch try ending(screen) {
        case .left(.done): return []
        case .left(.chosen(let users)): return users
        case .left(.interrupted): throw Outcome.interrupted
        case .left(.failed(let error)): throw error
        case .signal(let number):
            // End by the signal, so that the parent process sees it.
            signal(number, SIG_DFL)
            kill(getpid(), number)
            throw Outcome.interrupted
        }
    }

    /// Requests, the watch and the terminal may block, so each has a thread; the terminal has this one.
    private func ending(_ screen: FullScreen) throws -> BrowseLoop.Ending {
        let inbox = try Inbox()
        let (requests, send) = AsyncStream.makeStream(of: BrowseClient.Request.self)
        let (paths, output) = (paths, console.output)
        // Coloured blocks on every terminal: they are text, and disappear with their lines.
        let drawing = PictureDrawing(.blocks(colourDepth(console.environment)))
        let feed = BrowseClient(
            connect: { [console] in paths.connection(console) }, console: console,
            details: { await $0.details(of: $1, drawing, on: output) }, post: { inbox.post($0) })
        _ = startThread("requests") { ThreadExecutor.runHere { await feed.answer(requests) } }
        _ = startThread("watch") { ThreadExecutor.runHere { await feed.watch() } }
        let clipboard = Clipboard.live(console.environment)
        var loop = BrowseLoop(
            screen, inbox, console, purpose, query: query, kinds: kinds, actions: actions, card: card,
            request: { send.yield($0) },
            act: { [console] in
                try $0.carryOut(
                    paths.connection(console), clipboard, in: FileManager.default.currentDirectoryPath)
            })
        return try loop.run()
    }
}

extension Console {
    /// Throws if userctl can't draw on the terminal.
    /// - Parameter command: for the message.
    func checkTerminal(for command: String) throws(CommandError) {
        guard !["", "dumb"].contains(environment["TERM"] ?? "") else {
            throw CommandError(
                "\(command) can't draw on this terminal (TERM is \(environment["TERM"] ?? "not set"))",
                .usage, advice: "`userctl list` prints the users anywhere")
        }
    }
}

extension Browser.Action {
    /// - Parameter folder: the folder that files are saved in.
    /// - Returns: what was done. Throws a `CommandError`.
    func carryOut(
        _ connection: UserdOrCache, _ clipboard: Clipboard, in folder: String
    ) throws -> String {
        switch self {
        case .copy(let text, let name): return clipboard.copy(text, named: name)
        case .open(let address):
            try Desktop.open(address, clipboard.environment)
            return "asked your desktop to open \(address.text)"
        case .save(let user):
            let path = newCardPath(of: user, in: folder)
            let card = VCard.text(
                user, version: .v4, photo: connection.cachedPicture(user.picture))
            try writeAtomically(card, to: path)
            return "saved \(path)"
        }
    }
}
