import Model
import Synchronization
import UserdAPI

/// The status, drawn again whenever it changes, until interrupted: in its place on a terminal, else one after the other.
final class StatusWatching: Sendable {
    private struct Contents {
        var state: DaemonState?
        var last: [UInt8] = []
    }

    private let userd: UserdClient
    private let console: Console
    private let format: DocumentFormat
    private let area: LiveArea?
    private let contents = Mutex(Contents())

    init(_ userd: UserdClient, format: DocumentFormat, console: Console) {
        self.userd = userd
        self.console = console
        self.format = format
        area = format == .json || console.output.size() == nil ? nil : LiveArea(console.output)
    }

    func run() async throws {
        let watching = Watching(watch: userd.watch, sleep: console.sleep, say: say)
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
            let reply = try? userd.getState()
            if let reply { contents.state = try reply.decoded() }
            guard let state = contents.state else { return }
            let view = StatusView(state.states, daemon: reply == nil ? nil : state, clock: console.clock)
            if let area { return area.draw(view) }
            // A watch begins with a state of each resource.
            guard let reply, reply.bytes != contents.last else { return }
            contents.last = reply.bytes
            switch format {
            case .json: try console.write(document: reply.bytes)
            case .table: try console.show(view)
            }
        }
    }
}
