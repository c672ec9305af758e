import TerminalViews

/// A card for each of userd's units.
struct ServiceStatusView: View {
    let status: ServiceStatus
    let clock: WallClock

    var body: some View {
        Column(spacing: 1) {
            for unit in status.units { UnitCard(unit: unit, clock: clock) }
            Text(status.linger ? lingering : notLingering).style(.secondary)
        }
    }
}

let lingering = "Lingering is on: userd also runs while you are logged out."
let notLingering =
    "Lingering is off: userd ends when you log out; `userctl service enable --linger` keeps it running."

private struct UnitCard: View {
    let unit: ServiceStatus.Unit
    let clock: WallClock

    var body: some View {
        Card(unit.name) {
            Fields {
                Field("State", state)
                Field("Since", unit.load == "loaded" ? unit.since.map(clock.ago) : nil)
                Field("Enabled", unit.enabled)
                Field("Says", unit.status)
                Field("Process", unit.mainPID.map { "\($0)" })
                Field("Memory", unit.memoryBytes.map { "\(grouped($0 >> 20)) MiB" })
                Field("Watchdog", unit.watchdog)
                Field("Restarts", unit.restarts.map(grouped))
                Field("Last exit", unit.lastExit?.words(clock))
                Field("Listens", unit.listens)
                Field("Unit file", unit.unitFile)
            }
        }
    }

    private var state: Text {
        guard unit.load == "loaded" else { return Text(unit.load).style(.bad) }
        let words = unit.sub.map { "\(unit.active) (\($0))" } ?? unit.active
        switch unit.active {
        case "active": return Text(words).style(.good)
        case _ where unit.isFailing:
            return Text(unit.result.map { "\(words): \($0)" } ?? words).style(.bad)
        default: return Text(words).style(.secondary)
        }
    }
}

extension ServiceStatus.LastExit {
    var how: String {
        code.map { "with code \($0)" } ?? signal.map { "by signal \($0)" } ?? "unexpectedly"
    }

    fileprivate func words(_ clock: WallClock) -> String {
        how + (at.map { ", \(clock.ago($0))" } ?? "")
    }
}
