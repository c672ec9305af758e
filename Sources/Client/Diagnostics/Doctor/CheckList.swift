import TerminalViews

/// Checks, one line each, with the advice below. Adjacent skipped checks with the same reason share a line.
package struct CheckList: View {
    private struct Entry {
        var titles: [String]
        let check: Check
    }

    private let entries: [Entry]

    package init(_ checks: [Check]) {
        entries = checks.reduce(into: []) { entries, check in
            if check.status == .skipped, let last = entries.last?.check, last.status == .skipped,
                last.found == check.found
            {
                entries[entries.count - 1].titles.append(check.title)
            } else {
                entries.append(Entry(titles: [check.title], check: check))
            }
        }
    }

    package var body: some View {
        Column {
            for entry in entries {
                Row(spacing: 1) {
                    entry.check.status.mark.frame(width: 9)
                    Column {
                        Text("\(entry.titles.joined(separator: ", ")): \(entry.check.found)")
                        for line in entry.check.advice { Text(line) }
                    }
                }
            }
        }
    }
}

package struct CheckSummary: View {
    private let checks: [Check]

    package init(checks: [Check]) { self.checks = checks }

    package var body: some View {
        let failed = checks.count { $0.status == .failed }
        let warnings = checks.count { $0.status == .warning }
        let all = "\(counted(checks.count, "check")): "
        return if failed > 0 {
            Text(all + "\(grouped(failed)) failed, \(counted(warnings, "warning"))").style(.bad)
        } else if warnings > 0 {
            Text(all + "userd works, with \(counted(warnings, "warning"))").style(.warning)
        } else {
            Text(all + "all ok").style(.good)
        }
    }
}

extension Check.Status {
    fileprivate var mark: Text {
        switch self {
        case .ok: Text("✓ ok").style(.good)
        case .warning: Text("! warning").style(.warning)
        case .failed: Text("✗ failed").style(.bad)
        case .skipped: Text("- skipped").style(.secondary)
        }
    }
}
