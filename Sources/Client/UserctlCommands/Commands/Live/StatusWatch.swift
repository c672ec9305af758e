import Model
import UserdAPI

/// Redraws the status at each change, until interrupted: in place on a terminal, otherwise one below the other.
final class StatusWatch {
    private let userd: UserdClient
    private let console: Console
    private let resources: [Resource]
    private let format: LineFormat
    private let area: LiveArea?
    private var reply: RawReply<DaemonState>?
    private var state: DaemonState?
    private var settings: [SettingValue] = []
    private var answeredAt: Timestamp?

    /// - Parameter resources: empty means all.
    init(_ userd: UserdClient, _ resources: [Resource], format: LineFormat, console: Console) {
        (self.userd, self.resources, self.console, self.format) = (userd, resources, console, format)
        area = format != .table || console.output.size() == nil ? nil : LiveArea(console.output)
    }

    /// - Parameter liveness: not used on a terminal, where each second's redraw calls userd.
    func run(liveness: @autoclosure () -> Liveness) async throws {
        func count() throws -> Int { try userd.getState().decoded().states.count }
        let resources = resources.isEmpty ? nil : resources
        guard area != nil else {
            let watching = WatchSubscription(
                watch: userd.watch, count: count, sleep: console.sleep, say: console.notice,
                liveness: liveness())
            try await watching.run(Watch(resources: resources)) { _, _ in try refresh() }
        }
        // Ages and times to the next sync change without transitions, too. Messages on stderr would disturb the drawing,
        // which shows them itself.
        let watching = WatchSubscription(
            watch: userd.watch, count: count,
            sleep: { [console] in
                try await console.sleep(min($0, .seconds(1)))
                try self.refresh()
            }, say: { _ in try? self.refresh() },
            whenIdle: {
                try self.refresh()
                return .seconds(1)
            })
        try await watching.run(Watch(resources: resources, progress: true)) { _, _ in }
    }

    private func refresh() throws {
        let answer = Result { try userd.getState() }
        let last = reply
        if let new = try? answer.get() {
            if new.bytes != last?.bytes {
                (reply, state) = (new, try new.decoded())
                settings = (try? userd.getSettings().decoded().settings) ?? []
            }
            answeredAt = console.clock.now()
        }
        guard let state else { return }
        var (daemon, unavailability): (DaemonState?, String) = (state, "")
        if case .failure(let error) = answer {
            let since = answeredAt.map { "; it last answered at \(console.clock.text($0))" }
            daemon = nil
            unavailability =
                (CommandError(unavailability: error)?.message ?? "can't ask userd") + (since ?? "")
        }
        let view = StatusView(
            states: state.states.of(resources), daemon: daemon, settings: settings,
            unavailability: unavailability, clock: console.clock)
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
