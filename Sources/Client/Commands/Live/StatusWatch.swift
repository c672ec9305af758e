import CommandSupport
import Model
import Synchronization
import UserdAPI

/// Redraws the status at each change, until interrupted: in place on a terminal, otherwise one below the other.
final class StatusWatch: Sendable {
    private struct Contents {
        var reply: RawReply<DaemonState>?
        var state: DaemonState?
        var settings: [SettingInForce] = []
        var answeredAt: Timestamp?
    }

    private let userd: UserdClient
    private let console: Console
    private let resources: [Resource]
    private let format: LineFormat
    private let area: LiveArea?
    private let contents: Mutex<Contents>

    /// - Parameter resources: none are all.
    init(_ userd: UserdClient, _ resources: [Resource], format: LineFormat, console: Console) {
        self.userd = userd
        self.resources = resources
        self.console = console
        self.format = format
        area = format != .table || console.output.size() == nil ? nil : LiveArea(console.output)
        contents = Mutex(Contents())
    }

    /// - Parameter liveness: not used on a terminal, where each second's redraw calls userd.
    func run(liveness: @autoclosure () -> LivenessMonitor) async throws {
        let watching = WatchSubscription(
            watch: userd.watch, count: { [userd] in try userd.getState().decoded().states.count },
            sleep: console.sleep, say: say, liveness: area == nil ? liveness() : nil)
        if area != nil { tick() }
        try await watching.run(
            Watch(
                resources: resources.isEmpty ? nil : resources, progress: area == nil ? nil : true)
        ) { _, _ in try refresh() }
    }

    /// Ages and times to the next sync change without transitions, too.
    private func tick() {
        console.after(.seconds(1)) {
            try? self.refresh()
            self.tick()
        }
    }

    /// Messages on stderr would disturb the drawing, which shows them itself.
    private func say(_ words: String) {
        guard area != nil else { return console.notice(words) }
        try? refresh()
    }

    private func refresh() throws {
        try contents.withLock { contents in
            let answer = Result { try userd.getState() }
            let last = contents.reply
            if let reply = try? answer.get() {
                if reply.bytes != last?.bytes {
                    (contents.reply, contents.state) = (reply, try reply.decoded())
                    contents.settings = (try? userd.getSettings().decoded().settings) ?? []
                }
                contents.answeredAt = console.clock.now()
            }
            guard let state = contents.state else { return }
            var (daemon, unavailability): (DaemonState?, String) = (state, "")
            if case .failure(let error) = answer {
                let since = contents.answeredAt.map { "; it last answered at \(console.clock.text($0))" }
                daemon = nil
                unavailability = (Unavailability(error)?.reason ?? "can't ask userd") + (since ?? "")
            }
            let view = StatusView(
                state.states.of(resources), daemon: daemon, settings: contents.settings,
                unavailability: unavailability,
                clock: console.clock)
            if let area { return area.draw(view) }
            // The watch's first states arrive one by one; they don't change the reply.
            guard case .success(let reply) = answer, reply.bytes != last?.bytes else { return }
            let document = StatusDocument(reply.bytes, of: resources)
            let before = last.map { StatusDocument($0.bytes, of: resources) }
            switch format {
            case .json where document.bytes == before?.bytes: break
            case .json: try console.write(json: document.bytes + [UInt8(ascii: "\n")])
            case .ndjson:
                for line in document.lines where before?.lines.contains(line) != true {
                    try console.write(json: line)
                }
            case .table: try console.show(view)
            }
        }
    }
}
