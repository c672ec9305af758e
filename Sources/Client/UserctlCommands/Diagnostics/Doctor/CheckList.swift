import TerminalViews

/// Checks, one line each, with the advice below. Adjacent skipped checks with the same reason share a line.
struct CheckList: View {
    private struct Entry {
        var titles: [String]
        let check: Check
    }

    private let entries: [Entry]

    init(_ checks: [Check]) {
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

    var body: some View {
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

/// The end of the list, with the number of checks of each status.
struct CheckSummary: View {
    let checks: [Check]
    /// Also lists the checks that are ok or skipped, which are not wrong.
    let all: Bool

    var body: some View {
        Column {
            if all { CheckList(checks.filter { !$0.isWrong }) }
            if all || checks.contains(where: \.isWrong) { Spacer() }
            counts
        }
    }

    private var counts: Text {
        func count(_ status: Check.Status) -> Int { checks.count { $0.status == status } }
        let skipped = count(.skipped)
        let rest =
            "\(grouped(count(.ok))) ok" + (skipped > 0 ? ", \(grouped(skipped)) skipped" : "")
            + (all ? "" : " (--all lists them)")
        let warnings = counted(count(.warning), "warning")
        return if count(.failed) > 0 {
            Text("\(grouped(count(.failed))) failed, \(warnings), \(rest)").style(.bad)
        } else if count(.warning) > 0 {
            Text("userd works, with \(warnings); \(rest)").style(.warning)
        } else {
            Text("all is well: \(rest)").style(.good)
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
