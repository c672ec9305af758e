import Foundation
import Model
import TestSupport
import Testing

@Suite("Publishing as a user's timer", .timeLimit(.hang))
struct PublishUnitTests {
    @Test("The timer's service writes the list, and leaves the file alone while no row changes")
    func publishes() async throws {
        try await onUserManager { manager in
            try await manager.installUnits(["paused": "true"])
            for unit in ["userd-publish@.service", "userd-publish@.timer"] {
                let text = try unitSource(unit).replacing(
                    "/usr/bin/userctl", with: "\(manager.home)/.local/bin/userctl")
                try await manager.install(unit, text)
            }
            try await manager.systemctl("start", "userd.socket")
            #expect(try await manager.userctl("sync", "users", "--wait").code == 0)
            let file = "\(manager.home)/users list.json"
            let escaped = try await manager.run("/usr/bin/systemd-escape", ["--path", file]).outputLines
            let name = try #require(escaped.first)
            try await manager.systemctl("start", "userd-publish@\(name).timer")
            #expect(
                try await manager.property("ActiveState", of: "userd-publish@\(name).timer") == "active")

            try await manager.systemctl("start", "userd-publish@\(name).service")
            let listed = try await manager.userctl("list", "--output", "ndjson").outputLines
            let counted = try await manager.run("/usr/bin/jq", [".users | length", file])
            #expect(counted.outputLines == ["\(listed.count)"] && !listed.isEmpty, "\(counted)")
            let written = try await manager.run("/usr/bin/stat", ["--format=%i %y", file]).output
            try await manager.systemctl("start", "userd-publish@\(name).service")
            #expect(try await manager.run("/usr/bin/stat", ["--format=%i %y", file]).output == written)
        }
    }
}
