import NIOCore

/// The answer to `/api/`, written piece by piece.
struct UsersPage {
    let query: UsersQuery
    let seed: String
    let population: Population
    let writer: PersonWriter

    /// An empty success, which randomuser.me returned for hours in 2026.
    func emptyBody() -> Body {
        var text = #"{"results":["#
        writeEnd(to: &text)
        return Body(text)
    }

    func body() -> Body {
        let key = SplitMix64.key(of: seed)
        var position = query.start
        let end = position + query.results
        var isBegun = false
        var isEnded = false
        return Body {
            guard !isEnded else { return nil }
            var out = ""
            out.reserveCapacity(Body.pieceSize + 4096)
            if !isBegun { out += #"{"results":["# }
            while out.utf8.count < Body.pieceSize, !isEnded {
                guard position < end, let record = population.record(at: position) else {
                    isEnded = true
                    break
                }
                if isBegun { out += "," }
                isBegun = true
                let person = Person(
                    seed: key, record: record, changes: population.changes(of: record),
                    nationalities: query.nationalities, gender: query.gender)
                writer.write(person, to: &out)
                position += 1
            }
            if isEnded { writeEnd(to: &out) }
            return ByteBuffer(string: out)
        }
    }

    /// As with the real one, `info.results` is the requested number.
    private func writeEnd(to out: inout String) {
        out += "]"
        if query.hasInfo {
            out += #","info":{"seed":\#(seed.jsonQuoted),"results":\#(query.results),"#
            out += #""page":\#(query.page),"version":"1.4"}"#
        }
        out += "}"
    }
}
