import DemoUpstream
import Foundation
import Testing

@Suite struct HardshipTests {
    @Test func aFewInAThousandAreOdd() async throws {
        try await withDemoUpstream { upstream in
            let people = try await upstream.get("/api/?seed=s&results=1000").people
            #expect(
                (member(people[113], "name.first") as? String)?.unicodeScalars.contains("\u{200B}") == true)
            #expect((member(people[241], "location.city") as? String)?.hasSuffix("  ") == true)
            #expect(people[389]["id"] == nil)
            #expect(people[503]["phone"] is NSNull)
            #expect(people[677]["cell"] == nil)
            #expect(member(people[739], "id.value") as? String == "NaNundefined")
            #expect(people[859]["picture"] == nil)
            #expect((member(people[907], "location.city") as? String)?.unicodeScalars.first == "\u{202E}")
            #expect((member(people[977], "name.last") as? String)?.count == 300)
        }
    }
}
