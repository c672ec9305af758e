import Model
import Testing
import Upstream

@Suite("Facts from catfact.ninja")
struct FactsTests {
    private func page(next: String, count: Int = 2, total: String = "332") -> String {
        let facts = (0..<count).map { #"{"fact": "Fact \#($0)", "length": 999}"# }.joined(separator: ",")
        return """
            {"current_page": 1, "data": [\(facts)], "last_page": 34, "next_page_url": \(next), "per_page": "3",
             "links": [{"url": null}], "total": \(total)}
            """
    }

    @Test(
        "A fact has a digest as its id and a length in characters; blank facts are left out"
    )
    func records() async throws {
        let body = #"{"data": [{"fact": "Zoë\u00a0👩‍👩‍👧 cats ", "length": 3}, {"fact": "", "length": 0}]}"#
        let page = try await FactsService.stubbed(Stub(body)).fetchPage(.first)
        #expect(page.records.map(\.text) == ["Zoë\u{A0}👩‍👩‍👧 cats "])
        #expect(page.records.map(\.length) == [11])
        #expect(page.records.map(\.id) == ["d13eb870423193abc8229e7d490c5e61"])
        #expect(page.leftOut.count == 1)
        #expect(page.records.first == NewFact(text: "Zoë\u{A0}👩‍👩‍👧 cats "))
    }

    @Test("Facts are requested by limit and page, and keep the settings' own parameters on each page")
    func addresses() async throws {
        let stub = Stub(page(next: #""https:\/\/elsewhere.example\/facts?page=2""#))
        let facts = FactsService.stubbed(
            stub, url: "https://facts.example/facts?max_length=140&page=7&limit=9")
        let first = try await facts.fetchPage(.first)
        _ = try await facts.fetchPage(try #require(first.next))
        #expect(
            stub.addresses == [
                "https://facts.example/facts?limit=3&page=1&max_length=140",
                "https://facts.example/facts?limit=3&page=2&max_length=140",
            ])
    }

    @Test(
        "Facts have a next page as long as the answer has its address",
        arguments: [
            (#""https://f.example/facts?page=5""#, 2), (#""https://f.example/facts""#, 2), (#""""#, nil),
            ("null", nil),
        ] as [(String, Int?)])
    func next(json: String, number: Int?) async throws {
        let page = try await FactsService.stubbed(Stub(page(next: json))).fetchPage(.first)
        #expect(page.next?.number == number)
    }

    @Test("Facts end with an empty page, or with the last page that the settings allow")
    func last() async throws {
        let more = #""?page=2""#
        #expect(
            try await FactsService.stubbed(Stub(page(next: more, count: 0))).fetchPage(.first).next == nil)
        #expect(
            try await FactsService.stubbed(Stub(page(next: more)), pages: 1).fetchPage(.first).next == nil)
    }

    @Test(
        "The total of facts is known if upstream reports a valid one",
        arguments: [
            ("332", 332), (#""332""#, 332), ("-1", nil), ("1e3", nil), ("99999999999", nil), ("[]", nil),
        ]
            as [(String, Int?)])
    func total(json: String, total: Int?) async throws {
        #expect(
            try await FactsService.stubbed(Stub(page(next: "null", total: json))).fetchPage(.first).total
                == total)
    }

    @Test("A bare list of facts is read as the only page")
    func bareList() async throws {
        let page = try await FactsService.stubbed(Stub(#"[{"fact": "One"}, {"fact": "Two"}]"#)).fetchPage(
            .first)
        let both = [NewFact(text: "One"), NewFact(text: "Two")]
        #expect(page.unversioned == Page(records: both, total: 2, end: .noNext))
    }

    @Test(
        "A fact without a text fails with its position",
        arguments: [
            (#"{"data": [{"fact": "a"}, {"length": 3}]}"#, "record 2: no text; see facts.fields.text"),
            (#"{"data": "none"}"#, "/data: expected a list, found a string"),
            ("{}", #"no list at "/data"; see facts.records"#),
        ])
    func positions(body: String, expected: String) async throws {
        let error = try await thrown { try await FactsService.stubbed(Stub(body)).fetchPage(.first) }
        #expect(error.failure.message == "cannot read page 1 of https://facts.example/facts: " + expected)
        #expect(error.failure.kind == .decode)
    }

    @Test("A single fact comes from an address of its own")
    func one() async throws {
        let stub = Stub(#"{"fact": "Cats sleep.", "length": 11}"#)
        #expect(try await FactsService.stubbed(stub).fetchOne() == NewFact(text: "Cats sleep."))
        #expect(stub.addresses == ["https://facts.example/fact?max_length=90"])
    }

    @Test("A missing fact is an error")
    func none() async throws {
        for (body, words) in [
            ("{}", "upstream has no matching fact"),
            (#"{"fact": null}"#, "no text; see facts.fields.text"),
        ] {
            let error = try await thrown { try await FactsService.stubbed(Stub(body)).fetchOne() }
            #expect(error.failure.message == "cannot read https://facts.example/fact: " + words)
            #expect(error.failure.kind == .decode)
        }
    }
}
