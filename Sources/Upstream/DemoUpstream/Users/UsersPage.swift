/// The answer to `/api/`, written piece by piece.
struct UsersPage {
    let query: UsersQuery
    let seed: String
    let people: People
    let writer: PersonWriter

    /// May be an empty success, which randomuser.me returned for hours in 2026.
    func body(_ effects: FaultEffects) -> Body {
        let count = effects.outcome == .empty ? 0 : query.results
        let positions = query.start..<query.start + count
        return .list(#"{"results":["#, positions, ending: ending, cutOff: effects.cutOff) {
            people.person(at: $0).map(writer.text)
        }
    }

    /// As with the real one, `info.results` is the requested number.
    private var ending: String {
        guard query.hasInfo else { return "]}" }
        return #"],"info":{"seed":\#(seed.jsonQuoted),"results":\#(query.results),"#
            + #""page":\#(query.page),"version":"1.4"}}"#
    }
}
