import HTTP
import Model
import StrictJSON
import UserdAPI

/// The facts of a bug report, as they are.
package struct BugReport: Encodable, Sendable {
    package struct Versions: Encodable, Sendable {
        package var userctl: String
        /// Nil if userd is not running.
        package var userd: String?
        /// The machine's distribution and kernel.
        package var system: String
    }

    package struct Log: Encodable, Sendable {
        /// The log's origin, or why there is no log.
        package var source: String
        package var lines: [String]
    }

    package var made: Timestamp
    package var versions: Versions
    /// The output of `userd --print-config`, or why there is none.
    package var printedSettings: [String] = []
    package var states: [State] = []
    /// Newest first.
    package var history: [State] = []
    package var log = Log(source: "none", lines: [])
    /// The output of `userd --check-upstream`; nil unless it was requested.
    package var upstreams: UpstreamChecks?
    /// The shape of upstream's last list; nil if userd has read none since its start.
    package var list: ListShape?
    /// The results of `userctl doctor --offline`.
    package var checks: [Check] = []

    package init(made: Timestamp, userctl: String, system: String) {
        (self.made, versions) = (made, Versions(userctl: userctl, system: system))
    }

    enum CodingKeys: String, CodingKey {
        case made, versions, states, history, log, upstreams, checks
        case list = "last_list"
        case printedSettings = "printed_settings"
    }
}

extension BugReport {
    /// JSON in lines that anybody may read: no recording, no body of an answer, and nothing that records hold.
    package func published() throws -> [UInt8] {
        var (report, text, indenter) = (self, PublicText(), JSONIndenter())
        for index in report.upstreams?.upstreams.indices ?? 0..<0 {
            report.upstreams?.upstreams[index].sample = nil
        }
        // They come first, so that all other texts have their hosts' names.
        let settings = StrictJSON.array(printedSettings.map { StrictJSON.quoted(text.setting($0)) })
        let all = try JSONValue(trusting: StrictJSON.encode(report)).members ?? []
        let members = all.map { name, value in
            switch name {
            case "versions": (name, Array(value.raw))
            case "printed_settings": (name, settings)
            default: (name, text.document(value))
            }
        }
        let document = StrictJSON.object([("summary", try StrictJSON.encode(summary))] + members)
        return indenter.indented(document) + "\n".utf8
    }

    /// The text for whoever reads the report before sending it.
    private var summary: [String] {
        [
            "This report has no recording, no body of an answer, and nothing that people's records hold.",
            "Of messages, it has userd's own words alone: … stands for everything else, and host1.example for a host.",
            "upstream's last list: "
                + (list.map { "\($0.pages.last?.number ?? 0) pages, fields of \($0.surveyed) records" }
                    ?? "none"),
            "\(history.count) transitions, \(log.lines.count) lines of log, \(checks.count) checks",
        ]
    }

    /// A HAR file: the recording with the report in it, so that `userd --replay` plays it back.
    package func har(with recording: Recording?) throws -> [UInt8] {
        try (recording ?? Recording(exchanges: [])).har(
            creator: recording == nil ? "userctl" : "userd",
            telling: JSONValue(trusting: StrictJSON.encode(self)))
    }
}

extension Recording {
    /// Reads a recording made by userd. Throws a `CommandError` if it can't be read.
    package init(ofUserd path: String) throws {
        func refusal(_ reason: String) -> CommandError {
            CommandError(
                reason, .usage,
                advice: "name one that `userd --record` wrote, or leave it out with --no-recording")
        }
        do { self = try Recording(file: path) } catch { throw refusal("\(error)") }
        guard session != nil else {
            throw refusal(
                "\(path) was not recorded by userd, so it may contain tokens and cookies")
        }
    }
}
