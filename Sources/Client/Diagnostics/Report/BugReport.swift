import CommandSupport
import Model
import Recordings
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

        package init(userctl: String, userd: String?, system: String) {
            (self.userctl, self.userd, self.system) = (userctl, userd, system)
        }
    }

    package struct Log: Encodable, Sendable {
        /// The log's origin, or why there is no log.
        package var source: String
        package var lines: [String]
    }

    package var made: Timestamp
    package var versions: Versions
    /// The output of `userd --print-config`, or why there is none.
    package var printedSettings: [String]
    package var states: [State]
    /// Newest first.
    package var history: [State]
    package var log: Log
    /// The output of `userd --check-upstream`; nil unless it was requested.
    package var upstreams: UpstreamChecks?
    /// The shape of upstream's last list; nil if userd has read none since its start.
    package var list: ListShape?

    package init(
        made: Timestamp, versions: Versions, printedSettings: [String], states: [State], history: [State],
        log: Log
    ) {
        (self.made, self.versions, self.printedSettings) = (made, versions, printedSettings)
        (self.states, self.history, self.log) = (states, history, log)
    }

    enum CodingKeys: String, CodingKey {
        case made, versions, states, history, log, upstreams
        case list = "last_list"
        case printedSettings = "printed_settings"
    }
}

extension BugReport {
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
