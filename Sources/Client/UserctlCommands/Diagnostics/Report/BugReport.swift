import HTTP
import Model
import StrictJSON
import UserdAPI

/// The facts of a bug report, as they are.
struct BugReport: Encodable, Sendable {
    struct Versions: Encodable, Sendable {
        var userctl: String
        /// Nil if userd is not running.
        var userd: String?
        /// The machine's distribution and kernel.
        var system: String
    }

    struct Log: Encodable, Sendable {
        /// The log's origin, or why there is no log.
        var source: String
        var lines: [String]
    }

    var made: Timestamp
    var versions: Versions
    /// The output of `userd --print-config`, or why there is none.
    var printedSettings: [String] = []
    var states: [State] = []
    /// Newest first.
    var history: [State] = []
    var log = Log(source: "none", lines: [])
    /// The output of `userd --check-upstream`; nil unless it was requested.
    var upstreams: UpstreamChecks?
    /// The shape of upstream's last list; nil if userd has read none since its start.
    var list: ListShape?
    /// The results of `userctl doctor --offline`.
    var checks: [Check] = []

    enum CodingKeys: String, CodingKey {
        case made, versions, states, history, log, upstreams, checks
        case list = "last_list"
        case printedSettings = "printed_settings"
    }
}

extension BugReport {
    /// JSON in lines that anybody may read: no recording, no body of an answer, and nothing that records hold.
    func published() throws -> [UInt8] {
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
    func har(with recording: Recording?) throws -> [UInt8] {
        try (recording ?? Recording(exchanges: [])).har(
            creator: recording == nil ? "userctl" : "userd",
            telling: JSONValue(trusting: StrictJSON.encode(self)))
    }
}

extension Recording {
    /// Reads a recording made by userd. Throws a `CommandError` if it can't be read.
    init(ofUserd path: String) throws {
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
