import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("A network that comes back", .timeLimit(.hang))
struct ComingBackTests {
    @Test(
        "When the network comes back, a sync that failed for lack of it is retried at once"
    )
    func network() async throws {
        try await onMachine { machine in
            try await inNetworkNamespace { network in
                try await network.ip("link", "set", "lo", "up")
                let (_, upstream) = try await machine.startUpstream(["--users", "20"], in: network)
                // The address is removed, too, and comes back with the interface: otherwise packets to it are
                // lost silently.
                try await network.ip("link", "set", "lo", "down")
                try await network.ip("address", "flush", "dev", "lo")
                let userd = try await machine.startUserd(
                    upstream.merging(["retry.base": "1h", "retry.cap": "1h"]) { $1 }, in: network)
                let watch = try machine.start(.userctl, ["watch", "users"])
                try await watch.line(containing: "error", in: .output)
                let failed = try await machine.state(of: .users)
                #expect(failed.failure?.kind == .offline)
                #expect(try #require(failed.nextSyncAt) - failed.since >= .seconds(1800))

                let before = watch.bytes(.output).count
                try await network.ip("link", "set", "lo", "up")
                try await watch.line(containing: "loaded", in: .output, from: before)
                #expect(userd.text(.errors).contains("Woken"))
                #expect(try await machine.users().count == 20)
                let history = try await machine.call(.history, History(resource: .users)).states
                #expect(history.map(\.phase) == [.loaded, .syncing, .error, .syncing])
            }
        }
    }
}
