import Model
import StrictJSON
import UserdAPI

/// A bug report that anybody may read: no recording, no body of an answer, and nothing that records hold.
package struct PublicReport {
    /// A summary for whoever reads the report before sending it.
    private var summary: [String]
    private var report: BugReport
    private let checks: [Check]

    package init(_ report: BugReport, checks: [Check]) {
        var (text, report) = (PublicText(), report)
        report.printedSettings = report.printedSettings.map { text.setting($0) }
        func made(_ states: [State]) -> [State] { states.map { text.state($0) } }
        (report.states, report.history) = (made(report.states), made(report.history))
        report.log.lines = report.log.lines.map { text.message($0) }
        report.log.source = text.message(report.log.source)
        for index in report.upstreams?.upstreams.indices ?? 0..<0 {
            text.hide(&report.upstreams!.upstreams[index])
        }
        self.checks = checks.map { $0.told(text.message($0.found)) }
        self.report = report
        summary = [
            "This report has no recording, no body of an answer, and nothing that people's records hold.",
            "Of messages, it has userd's own words alone: … stands for everything else, and host1.example for a host.",
            "upstream's last list: "
                + (report.list.map { "\($0.pageCount) pages, fields of \($0.surveyed) records" } ?? "none"),
            "\(report.history.count) transitions, \(report.log.lines.count) lines of log, \(checks.count) checks",
        ]
    }

    /// JSON in lines, the summary first.
    package func json() throws -> [UInt8] {
        let own = try JSONValue(trusting: StrictJSON.encode(report)).members ?? []
        let members =
            [("summary", try StrictJSON.encode(summary))] + own.map { ($0.name, Array($0.value.raw)) }
            + [("checks", try StrictJSON.encode(checks))]
        return StrictJSON.indented(StrictJSON.object(members))
    }
}

extension PublicText {
    fileprivate mutating func failure(_ failure: Failure) -> Failure {
        var failure = failure
        failure.reason = message(failure.reason)
        failure.advice = failure.advice.flatMap { advice in
            let subject = advice.code.split(separator: ":", maxSplits: 1).dropFirst().first ?? ""
            return advice.kind.map { Advice($0, about: message(subject)) }
        }
        return failure
    }

    fileprivate mutating func state(_ state: State) -> State {
        var state = state
        state.failure = state.failure.map { failure($0) }
        return state
    }

    fileprivate mutating func hide(_ check: inout UpstreamCheck) {
        check.address = message(check.address)
        check.request = check.request.map { message($0) }
        check.sample = nil
        for index in check.steps.indices {
            check.steps[index].found = check.steps[index].found.map { message($0) }
            check.steps[index].failure = check.steps[index].failure.map { failure($0) }
        }
    }
}
