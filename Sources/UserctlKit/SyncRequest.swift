import Model
import UserdAPI
import Varlink

/// Asks userd for something that it answers with the states of the resources.
struct SyncRequest {
    let common: CommonOptions
    let resources: ResourceArguments
    let wait: Bool
    private let console = Console.current

    init(common: CommonOptions, resources: ResourceArguments, wait: Bool) {
        self.common = common
        self.resources = resources
        self.wait = wait
    }

    /// Prints the answer, and returns it.
    func run(
        _ call: (Connection, _ timeout: Duration?) throws -> RawReply<States>
    ) async throws -> [State] {
        let connection = common.connection(console)
        let reports = wait ? progressReports(connection) : nil
        defer { reports?.interrupt() }
        let answer = try call(connection, wait ? nil : .seconds(10))
        let states = try answer.decoded().states
        switch common.output {
        case .json: try console.write(json: answer.document)
        case .table: try console.show(OutcomeTable(states))
        }
        return states
    }

    /// Says what failed; throws where anything did.
    func judge(_ outcomes: [(state: State, hasFailed: Bool)]) throws {
        let failed = outcomes.filter(\.hasFailed).map(\.state)
        for state in failed {
            let reason = state.cause == .cancelled ? "the sync was cancelled" : state.summary
            console.say("\(state.resource): \(reason)")
            if state.failure?.kind == .removalGuard {
                console.say("`userctl sync \(state.resource) --accept-removals` accepts that")
            }
        }
        if !failed.isEmpty { throw Outcome.failed }
    }

    /// Says once a second at the most, from a second connection, how far the syncs are.
    private func progressReports(_ connection: Connection) -> VarlinkClient.Interrupter? {
        guard let client = try? connection.connect() else { return nil }
        let interrupter = client.interrupter
        let (console, parameters) = (console, Watch(resources: resources.named, progress: true))
        Task.detached {
            var last = ContinuousClock.now
            // Progress is an extra: where it can't be had, the outcome still comes.
            try? client.callMore(
                UserdMethod.watch.qualifiedName, parameters: try encoded(parameters), timeout: nil
            ) { reply in
                let state = try decoded(WatchedState.self, from: reply).state
                if let progress = state.progress, ContinuousClock.now - last >= .seconds(1) {
                    last = .now
                    console.say("\(state.resource): \(progress.text)")
                }
                return .proceed
            }
        }
        return interrupter
    }
}
