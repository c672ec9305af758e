import FoundationEssentials
import HTTP
import Model
import UserdAPI

extension UpstreamChecks {
    /// The result, for a terminal.
    var text: String { upstreams.map(\.text).joined(separator: "\n") }
}

extension UpstreamCheck {
    fileprivate var text: String {
        var lines = ["\(setting)  \(address)"]
        for step in steps {
            let words = step.failure.map { "failed: \($0.message)" } ?? step.found ?? ""
            lines.append("  \(step.name.rawValue): \(words.shown(upTo: 2000)) (\(step.milliseconds) ms)")
        }
        if let request { lines.append("  request: \(request.shown(upTo: 2000))") }
        if let sample { lines += [""] + sample.lines.map { $0.isEmpty ? "" : "  \($0)" } }
        return (lines + ["", "  \(verdict)"]).joined(separator: "\n") + "\n"
    }

    private var verdict: String {
        if let failure = steps.lazy.compactMap(\.failure).first {
            return "Result: a sync would fail: \(failure.message.shown(upTo: 2000))"
        }
        let hasWarnings = sample?.lines.contains { $0.hasPrefix("Warning: ") } == true
        let words =
            hasWarnings
            ? ", but see the warnings above"
            : sample?.list?.hints?.isEmpty == false
                ? "; if users are missing, the signs above may tell which users.paging is right" : ""
        return "Result: a sync would succeed\(words)"
    }
}

extension UsersSample {
    fileprivate var lines: [String] {
        var lines =
            users.isEmpty ? [] : ["The first users, as they would be cached:"] + users.flatMap(\.lines)
        if !fields.isEmpty {
            let rows =
                [["field", "pointer", "found"]]
                + fields.map { field in
                    let unreadable = field.unreadable.map { ", \($0) can't be read" } ?? ""
                    return [field.name, field.pointer, "\(field.found) of \(records)\(unreadable)"]
                }
            lines += [""] + table(rows)
        }
        if !unread.isEmpty {
            lines += ["", "Not used by any field:"] + unread.map { "  \($0.shown(upTo: 200))" }
        }
        lines += [""] + (list?.lines ?? []) + ["Users on page 1: \(records)"]
        if let shared {
            lines.append("Warning: \(shared) of them share an id with another; see users.fields.id")
        }
        let (nameless, skipped) = (nameless ?? 0, leftOut - (nameless ?? 0) - (unidentified ?? 0))
        if skipped > 0 { lines.append("Left out by a condition of skip: \(skipped)") }
        if nameless > 0 { lines.append("Left out for want of a name or an address: \(nameless)") }
        if let unidentified, let reason {
            lines.append("Warning: \(unidentified) of them can't be told apart: \(reason.shown(upTo: 500))")
        }
        if let tooLong, let first = tooLong.first {
            lines.append("Warning: values above 64 KiB are left out: \(tooLong.count), first \(first)")
        }
        return lines
    }

    private func table(_ rows: [[String]]) -> [String] {
        let rows = rows.map { $0.map { $0.shown(upTo: 100) } }
        let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return (cells + row.suffix(1)).joined(separator: "  ")
        }
    }
}

extension ListSample {
    fileprivate var lines: [String] {
        let pages = pages.enumerated().map { "page \($0 + 1) has \($1) users" }.joined(separator: ", ")
        let all = [
            "The list: \(pages)" + (total.map { "; upstream says that it has \($0)" } ?? ""),
            end.map { "It ends with \($0)" } ?? "Its end can't be determined", after,
        ]
        return all.compactMap(\.self) + more.map { "Warning: \($0)" }
            + (hints ?? []).prefix(10).map { "Sign of more users: \($0.shown(upTo: 300))" }
    }
}

extension User {
    /// JSON, without characters that a terminal would act on.
    fileprivate var lines: [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { return [] }
        return String(decoding: json, as: UTF8.self).split(separator: "\n").map {
            String($0).shown(upTo: 500)
        }
    }
}
