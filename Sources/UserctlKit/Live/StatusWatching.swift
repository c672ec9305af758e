import Model
import Synchronization
import UserdAPI

/// The status, drawn again whenever it changes, until interrupted: in its place on a terminal, else one after the other.
final class StatusWatching: Sendable {
    private struct Contents {
        var reply: UserdReply<DaemonState>?
        var state: DaemonState?
        var answeredAt: Timestamp?
    }

    private let userd: UserdClient
    private let console: Console
    private let format: DocumentFormat
    private let area: LiveArea?
    private let contents: Mutex<Contents>

    init(_ userd: UserdClient, format: DocumentFormat, console: Console) {
        self.userd = userd
        self.console = console
        self.format = format
        area = format == .json || console.output.size() == nil ? nil : LiveArea(console.output)
        contents = Mutex(Contents())
    }

    /// - Parameter silence: for where nothing is drawn: what is drawn is asked for every second.
    func run(silence: @autoclosure () -> Silence) async throws {
        let watching = Watching(
            watch: userd.watch, sleep: console.sleep, say: say, silence: area == nil ? silence() : nil)
        if area != nil { tick() }
        try await watching.run(Watch(progress: area == nil ? nil : true)) { _, _ in try refresh() }
    }

    /// Ages grow and times come nearer even where nothing happens.
    private func tick() {
        console.after(.seconds(1)) {
            try? self.refresh()
            self.tick()
        }
    }

    /// Where it is drawn, words on stderr would be drawn into it.
    private func say(_ words: String) {
        guard area != nil else { return console.say(words) }
        try? refresh()
    }

    private func refresh() throws {
        try contents.withLock { contents in
            let answer = Result { try userd.getState() }
            let last = contents.reply
            if let reply = try? answer.get() {
                if reply.bytes != last?.bytes {
                    (contents.reply, contents.state) = (reply, try reply.decoded())
                }
                contents.answeredAt = console.clock.now()
            }
            guard let state = contents.state else { return }
            let view: StatusView
            switch answer {
            case .success: view = StatusView(state.states, daemon: state, clock: console.clock)
            case .failure(let error):
                let absence = Absence(error)?.reason ?? "userd can't be asked"
                let since = contents.answeredAt.map { "; it last answered at \(console.clock.text($0))" }
                view = StatusView(
                    state.states, daemon: nil, absence: absence + (since ?? ""), clock: console.clock)
            }
            if let area { return area.draw(view) }
            // A watch begins with a state of each resource.
            guard case .success(let reply) = answer, reply.bytes != last?.bytes else { return }
            switch format {
            case .json: try console.write(document: reply.bytes)
            case .table: try console.show(view)
            }
        }
    }
}
