import Model
import Stubs
import TestSupport
import Testing
import Upstream

private let day = Duration.seconds(86_400)

@Suite("Lists that are read whole", .stubs)
struct FullListTests {
    @Test("Once a day, a list is read whole although the directory says that it is unchanged")
    func frozen() async throws {
        let asked = Channel<Bool>()
        let service = UsersService { _, known in
            asked.send(known != nil)
            var page = Page(records: [person(1)])
            page.list = KnownPage(key: "k")
            return known == nil ? page : .unchangedList
        }
        let rig = try await Rig {
            ($0.interval, $0.paused) = (.seconds(3600), true)
            $0.users = service
        }
        try await rig.sync()
        #expect(try await asked.receive() == false)
        let hours = Array(repeating: (Duration.seconds(3600), true), count: 23)
        // Then the machine sleeps, and the list waits for half of four hours.
        for (wait, isConditional) in hours + [
            (.seconds(3600), false), (.seconds(60), true), (day, true), (.seconds(7199), true),
            (.seconds(1), false), (.seconds(60), true),
        ] {
            rig.clock.advance(by: wait)
            try await rig.sync()
            #expect(try await asked.receive() == isConditional)
        }
        await rig.stop()
    }
}
