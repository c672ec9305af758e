import Foundation

/// How often `make test` repeats its tests, and how often `make test-long` does, which sets USERD_TEST_LONG.
/// It also runs tests that wait for a provider, which `.ci/test` names.
package enum Volume {
    package static let isLong = ProcessInfo.processInfo.environment["USERD_TEST_LONG"] != nil

    /// Days of the production engine, each drawn from a seed of its own.
    package static let simulatedDays = size(25, 2000)
    package static let movingDays = size(40, 1000)
    /// Kills at moments drawn from a seed.
    package static let kills = size(8, 60)
    /// Kills of a daemon that renews tokens.
    package static let tokenKills = size(4, 30)
    /// Kills of a daemon that is busy with clients.
    package static let loadKills = faults(10, 300, 1000)
    /// A third of the number of times that each hostile behaviour comes.
    package static let hostileRounds = faults(1, 10, 30)
    /// Every n-th call of a cache to the disk fails, once for each fault.
    package static let faultStride = faults(48, 1, 1)
    /// Flips, cuts and rubbish in a cache's files.
    package static let damages = faults(12, 400, 2000)
    /// Simultaneous watchers, and the transitions that they see at least. ThreadSanitizer makes a thousand
    /// too slow.
    package static let watchers = isSanitized ? 100 : 1000
    package static let watchedTransitions = size(10, 120)
    /// Clients that read at the same time.
    package static let readers = size(20, 50)
    /// Users that a daemon syncs in pages, and users that each format lists.
    package static let users = size(20_000, 100_000)
    package static let listedUsers = size(10_000, 100_000)
    /// Users of a SCIM server in Python, which takes milliseconds for each.
    package static let scimUsers = size(300, 2000)
    /// Clients that connect at once and send nothing.
    package static let connections = size(2000, 5000)
    /// Calls that one client sends without waiting for a reply.
    package static let pipelinedCalls = size(5000, 20_000)
    /// Random walks through the state machine, of two hundred events each.
    package static let machineWalks = size(100, 2000)
    /// Inputs drawn from a seed for a decoder or a renderer.
    package static let randomInputs = size(60, 2000)
    /// Dates and numbers drawn for a conversion.
    package static let randomValues = size(20_000, 1_000_000)

    /// Sizes for `make test`, `make faults` and `make faults-long`.
    private static func faults(_ usual: Int, _ many: Int, _ long: Int) -> Int {
        switch ProcessInfo.processInfo.environment["USERD_TEST_FAULTS"] {
        case nil: usual
        case "long": long
        default: many
        }
    }

    private static func size(_ usual: Int, _ long: Int) -> Int { isLong ? long : usual }
}
