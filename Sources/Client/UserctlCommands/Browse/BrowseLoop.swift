import FoundationEssentials
import Glibc
import Model
import TerminalViews

/// Runs a browser on a terminal: waits for keys, signals and events, and draws the result.
struct BrowseLoop {
    enum Ending {
        case left(Browser.Leave)
        case signal(Int32)
    }

    private let screen: FullScreen
    private let inbox: Inbox
    private let clock: WallClock
    private let output: Console.Output
    private let request: (BrowseClient.Request) -> Void
    private let act: (Browser.Action) throws -> String

    private var browser: Browser
    private var decoder = KeyDecoder()
    private var frame: Frame
    private var alarm: (time: ContinuousClock.Instant, number: Int)?
    /// The time at which an unfinished key sequence times out.
    private var pause: ContinuousClock.Instant?
    private var ending: Ending?

    private static let searchDelay = Duration.milliseconds(80)
    /// The interval at which ages are redrawn.
    private static let tick = Duration.seconds(1)

    /// - Parameters:
    ///   - query: the search to start with.
    ///   - kinds: the kinds to start with; nil for persons.
    ///   - card: the user whose card is shown first.
    ///   - act: carries out an action, and returns what it did. Throws a `CommandError`. The loop has then sent a text
    ///     to copy to the terminal.
    init(
        _ screen: FullScreen, _ inbox: Inbox, _ console: Console, _ purpose: Browser.Purpose, query: String,
        kinds: [UserKind]?, actions: [UserAction], card: User.ID?,
        request: @escaping (BrowseClient.Request) -> Void,
        act: @escaping (Browser.Action) throws -> String
    ) {
        self.screen = screen
        self.inbox = inbox
        (self.request, self.act) = (request, act)
        (clock, output) = (console.clock, console.output)
        frame = Frame(colour: output.colour, charset: output.charset)
        browser = Browser(
            size: output.screenSize, debounce: Self.searchDelay, purpose, query: query,
            kinds: kinds, drawsPictures: output.colour, actions: actions, card: card)
    }

    mutating func run() throws -> Ending {
        try screen.enter()
        defer { screen.leave() }
        try carryOut(browser.begin())
        while true {
            try draw()
            let isReadable = wait()
            let (signals, events) = inbox.take()
            for signal in signals { try obey(signal) }
            for event in events { try handle(event) }
            if isReadable { try readKeys() }
            let now = ContinuousClock.now
            if let end = pause, end <= now {
                pause = nil
                for key in decoder.pause() { try handle(.key(key)) }
            }
            if let due = alarm, due.time <= now {
                alarm = nil
                try handle(.elapsed(due.number))
            }
            if let ending { return ending }
        }
    }

    private mutating func draw() throws {
        let changes = frame.update(
            to: BrowserScreen(browser: browser, clock: clock, charset: output.charset),
            columns: browser.size.columns)
        if !changes.isEmpty { try screen.write(changes) }
    }

    /// - Returns: true if the terminal can be read or is closed.
    private func wait() -> Bool {
        let times = [alarm?.time, pause, .now + Self.tick].compactMap { $0 }
        let left = (times.min() ?? .now) - .now
        let milliseconds = max(0, (left / .milliseconds(1)).rounded(.up))
        var polled = [screen.input, inbox.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        return poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0 && polled[0].revents != 0
    }

    private mutating func readKeys() throws {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(screen.input, &bytes, bytes.count)
        guard count > 0 else {
            // The terminal is closed.
            if count == 0 || errno != EINTR && errno != EAGAIN { ending = .signal(SIGHUP) }
            return
        }
        for key in decoder.keys(bytes[..<count]) { try handle(.key(key)) }
        pause = decoder.timeout.map { .now + $0 }
    }

    private mutating func handle(_ event: Browser.Event) throws {
        guard ending == nil else { return }
        try carryOut(browser.handle(event))
    }

    private mutating func carryOut(_ effects: [Browser.Effect]) throws {
        for effect in effects {
            switch effect {
            case .fetch(let fetch): request(.fetch(fetch))
            case .sync: request(.sync)
            case .wait(let duration, let number): alarm = (.now + duration, number)
            case .redraw: frame.forget()
            case .details(let user): request(.details(of: user))
            case .act(let action): try carryOut(action)
            case .suspend: try suspend(wholeJob: true)
            case .leave(let leave): ending = .left(leave)
            }
        }
    }

    private mutating func carryOut(_ action: Browser.Action) throws {
        if case .copy(let text, _) = action {
            // xterm's OSC 52. Terminals that don't let programs copy ignore it silently.
            try screen.write("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}")
        }
        do {
            try handle(.done(act(action)))
        } catch let error as CommandError {
            try handle(.refused(error))
        }
    }

    private mutating func obey(_ signal: Int32) throws {
        switch signal {
        case SIGWINCH: try resize()
        case SIGTSTP: try suspend(wholeJob: false)
        case SIGCONT:
            // Other programs may have used the terminal meanwhile.
            try screen.enter()
            try resize()
        default: ending = .signal(signal)
        }
    }

    private mutating func suspend(wholeJob: Bool) throws {
        try screen.suspend(wholeJob: wholeJob)
        for number in [SIGTSTP, SIGCONT] { inbox.listen(to: number) }
        try resize()
    }

    private mutating func resize() throws {
        try handle(.resized(output.screenSize))
    }
}

extension Console.Output {
    fileprivate var screenSize: BrowserLayout.Size {
        let (columns, rows) = size() ?? (80, 24)
        return BrowserLayout.Size(columns: columns, rows: rows)
    }
}
