import Testing

@Suite("Laptops that sleep at night and over the weekend") struct AwakeFleetTests {
    @Test(
        "In the morning, each syncs within ten minutes, and their full lists are spread over hours",
        arguments: [100, 1000], [AwakeFleet.Mornings.apart, .together])
    func mornings(count: Int, mornings: AwakeFleet.Mornings) throws {
        // The first two weeks lead to the usual state of the third.
        let fleet = AwakeFleet(count: count, mornings: mornings, days: 19, seed: UInt64(count))
        for day in fleet.days[14...] {
            #expect(day.waits.count == count)
            #expect(try #require(day.waits.max()) < 660)
            #expect(try #require(day.lists.max()) <= count / (count < 1000 ? 10 : 20))
            #expect(day.listWaits.count { $0 < 600 } == 0)
        }
        let monday = fleet.days[14]
        #expect(monday.lists.reduce(0, +) == count)
        // A list is read by the first sync after its wait.
        #expect(try #require(monday.listWaits.max()) < 5.5 * 3600)
        #expect(monday.listWaits.count { $0 < 4.5 * 3600 } >= count * 9 / 10)

        print("\(count) laptops that resume \(mornings): the busiest minute (the mean of nine hours)")
        for (name, day) in zip(["Mon", "Tue", "Wed", "Thu", "Fri"], fleet.days[14...]) {
            let atOnce = day.listWaits.count { $0 < 600 }
            print(
                name, "requests", spread(day.requests), "full lists", spread(day.lists),
                "of which within ten minutes", atOnce)
        }
    }

    private func spread(_ minutes: [Int]) -> String {
        let mean = Double(minutes.reduce(0, +)) / 540
        return "\(minutes.max() ?? 0) (\((mean * 100).rounded() / 100))"
    }
}
