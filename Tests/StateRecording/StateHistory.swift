import Model
import Testing

/// The part of a state that is the same for a machine, an engine and a socket.
package struct RecordedState: Hashable, Sendable {
    package var index: Int
    package var resource: Resource
    package var phase: Phase
    package var cause: Cause
    package var failure: Failure.Kind?
    package var count: Int

    package init(
        index: Int, resource: Resource, phase: Phase, cause: Cause, failure: Failure.Kind? = nil, count: Int
    ) {
        self.index = index
        self.resource = resource
        self.phase = phase
        self.cause = cause
        self.failure = failure
        self.count = count
    }

    package init(_ state: State) {
        self.init(
            index: state.index, resource: state.resource, phase: state.phase, cause: state.cause,
            failure: state.failure?.kind, count: state.count)
    }
}

/// States in the order in which they came.
package struct StateHistory: Hashable, Sendable, CustomStringConvertible {
    package var states: [RecordedState]

    package init(_ states: [RecordedState] = []) { self.states = states }

    package var phases: [Phase] { states.map(\.phase) }

    /// A line per state: its index, the change of phase, its cause, and the number of rows.
    package var description: String {
        var phases: [Resource: Phase] = [:]
        return states.map { state in
            let before = phases.updateValue(state.phase, forKey: state.resource)
            let change = before.map { "\($0) → \(state.phase)" } ?? "\(state.phase)"
            var why = state.cause.rawValue
            if let kind = state.failure?.rawValue, kind != why { why += ": \(kind)" }
            return "\(state.index) \(state.resource) \(change) (\(why)), \(state.count) rows"
        }.joined(separator: "\n")
    }
}

/// Expects this history in the form of `StateHistory.description`. A failure shows the lines that differ.
package func expect(
    _ history: StateHistory, is expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    guard let difference = difference(from: expected, to: "\(history)") else { return }
    Issue.record("the history differs:\n\(difference)", sourceLocation: sourceLocation)
}

/// The difference line by line; nil if there is none.
package func difference(from expected: String, to actual: String) -> String? {
    guard expected != actual else { return nil }
    let (old, new) = (lines(expected), lines(actual))
    let changes = new.difference(from: old)
    let removed = Set(changes.removals.map(\.offset))
    let added = Set(changes.insertions.map(\.offset))
    var (shown, next): ([String], Int) = ([], 0)
    for (number, line) in old.enumerated() {
        if removed.contains(number) {
            shown.append("- " + line)
            continue
        }
        while added.contains(next) {
            shown.append("+ " + new[next])
            next += 1
        }
        shown.append("  " + line)
        next += 1
    }
    shown += new[next...].map { "+ " + $0 }
    return shown.joined(separator: "\n")
}

private func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
