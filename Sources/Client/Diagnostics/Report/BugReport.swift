import CommandSupport
import Model
import StrictJSON

/// A bug report, without the recording.
package struct BugReport: Encodable, Sendable {
    package struct Versions: Encodable, Sendable {
        package var userctl: String
        /// Nil if it is not running.
        package var userd: String?
        /// The machine's distribution and kernel.
        package var system: String

        package init(userctl: String, userd: String?, system: String) {
            self.userctl = userctl
            self.userd = userd
            self.system = system
        }
    }

    package struct Log: Encodable, Sendable {
        /// Where it was read from, or why there is none.
        package var source: String
        package var lines: [String]

        package init(source: String, lines: [String]) {
            self.source = source
            self.lines = lines
        }
    }

    package var made: Timestamp
    package var versions: Versions
    /// The output of `userd --print-config`, or why there is none.
    package var printedSettings: [String]
    package var states: [State]
    /// Newest first.
    package var history: [State]
    package var log: Log

    package init(
        made: Timestamp, versions: Versions, printedSettings: [String], states: [State], history: [State],
        log: Log
    ) {
        self.made = made
        self.versions = versions
        self.printedSettings = printedSettings
        self.states = states
        self.history = history
        self.log = log
    }

    enum CodingKeys: String, CodingKey {
        case made, versions, states, history, log
        case printedSettings = "printed_settings"
    }
}

extension BugReport {
    /// userd's member of a HAR file's `log`: names with an underscore are custom fields (HAR 1.2).
    private static let member = "_userd"

    /// A HAR file: the recording with the report in it, for `userd --replay`. Throws a `CommandError` if the recording is
    /// not a HAR file of userd's.
    package func har(with recording: [UInt8]?, from path: String = "") throws -> [UInt8] {
        var log: [(name: String, value: [UInt8])] = try recording.map { try Self.log($0, path) } ?? []
        if log.isEmpty {
            let creator: [(name: String, value: [UInt8])] = [
                ("name", StrictJSON.quoted("userctl")), ("version", StrictJSON.quoted(version)),
            ]
            log = [
                ("version", StrictJSON.quoted("1.2")), ("creator", StrictJSON.object(creator)),
                ("entries", Array("[]".utf8)),
            ]
        }
        let known = log.first { $0.name == Self.member }.map { JSONValue(trusting: $0.value).members ?? [] }
        log.removeAll { $0.name == Self.member }
        let own = JSONValue(trusting: try StrictJSON.encode(self)).members ?? []
        let names = Set(own.map(\.name))
        let members = (known ?? []).filter { !names.contains($0.name) } + own
        let entries = log.firstIndex { $0.name == "entries" } ?? log.endIndex
        log.insert(
            (Self.member, StrictJSON.object(members.map { ($0.name, Array($0.value.raw)) })), at: entries)
        return StrictJSON.object([("log", StrictJSON.object(log))]) + [UInt8(ascii: "\n")]
    }

    /// The members of a recording's `log`.
    private static func log(_ recording: [UInt8], _ path: String) throws -> [(name: String, value: [UInt8])] {
        func refusal(_ reason: String) -> CommandError {
            CommandError(
                "\(path) is not a recording: \(reason)", .usage,
                advice: "name a file written by `userd --record`, or leave it out with --no-recording")
        }
        let file: JSONValue
        do throws(JSONSyntaxError) {
            file = try JSONValue(validating: recording, maximumDepth: 512)
        } catch {
            throw refusal("\(error)")
        }
        guard let log = file["log"]?.members, log.contains(where: { $0.name == "entries" }) else {
            throw refusal("it has no log.entries, so it is not a HAR file")
        }
        guard log.first(where: { $0.name == member })?.value["version"]?.string != nil else {
            throw refusal("userd did not write it, so it may hold tokens and cookies")
        }
        return log.map { ($0.name, Array($0.value.raw)) }
    }
}
