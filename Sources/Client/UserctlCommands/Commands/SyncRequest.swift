import ArgumentParser
import Model
import UserdAPI
import Varlink

/// The options of calls that userd answers with the states of the resources: sync, retry, cancel.
struct SyncRequest: ParsableArguments {
    @OptionGroup var resources: ResourceArguments
    @OptionGroup var options: AnswerOptions<DocumentFormat>

    /// Prints the answer, and returns it.
    /// - Parameter wait: whether userd answers at the end of the syncs.
    func run(
        wait: Bool = false, _ call: (UserdClient) throws -> RawReply<States>
    ) async throws -> [State] {
        let console = options.console
        let userd = try options.connection.userd()
        if wait { console.sayAtInterrupt(true) }
        defer { if wait { console.sayAtInterrupt(false) } }
        let display =
            wait && !console.isQuiet
            ? ProgressDisplay(userd, resources: resources.named, console: console) : nil
        defer { display?.end() }
        let reply: RawReply<States>
        do {
            reply = try await requested { try call(userd) }
        } catch let error as VarlinkError where error == .permissionDenied && display != nil {
            // The display took userd's last connection: end it and try again.
            display?.end()
            try await console.sleep(.milliseconds(300))
            reply = try await requested { try call(userd) }
        }
        display?.end()
        let states = try reply.decoded().states
        switch options.output {
        case .json: try console.write(document: reply.bytes)
        case .table: try console.show(OutcomeTable(states: states))
        }
        for state in states where wait && state.phase != .error {
            if let text = state.leftOutText { console.notice(text) }
        }
        return states
    }

    func states() throws -> [State] {
        try options.connection.userd().getState().decoded().states
    }
}

extension Console {
    /// Asks every tenth of a second. False if it has not come true within ten seconds.
    func waits(until isTrue: () -> Bool) async throws -> Bool {
        for _ in 0..<100 {
            if isTrue() { return true }
            try await sleep(.milliseconds(100))
        }
        return isTrue()
    }

    /// Says on stderr what failed and what to do, and throws; does nothing if nothing failed.
    func fail(_ failed: [State]) throws {
        var advice: [String] = []
        for state in failed {
            let reason =
                state.cause == .cancelled
                ? "the sync was cancelled" : state.failure?.withoutAdvice ?? state.extent
            say("\(state.resource.rawValue): \(reason)")
            guard state.phase == .error else { continue }
            let next =
                state.advice ?? state.insistence
                ?? "`userctl doctor` looks for the cause, `userctl status` shows the next attempt"
            if !advice.contains(next) { advice.append(next) }
        }
        for line in advice { say(line) }
        if !failed.isEmpty { throw Outcome.failed }
    }
}
