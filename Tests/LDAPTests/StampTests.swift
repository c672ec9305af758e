import Model
import Testing
import Upstream

@testable import LDAP

@Suite("Stamps of LDAP servers")
struct StampTests {
    private static let interval = Duration.seconds(6 * 3600)
    private let start = Timestamp(milliseconds: 1_770_000_000_000)

    /// A token of a directory whose stamps began at `first`, an hour after its list, with a witness.
    private func token(
        _ kind: StampKind = .entryUSN, _ first: [String] = ["100"], witness: String? = "90"
    ) throws -> StampToken {
        var token = StampToken(
            ServerStamp(kind: kind, server: "a", values: first), at: start, idsDue: start + Self.interval)
        // The first reading is always of all ids.
        #expect(try advance(&token, first, after: 3600) == .ids)
        if let witness { token.note("w", witness) }
        return token
    }

    private func advance(
        _ token: inout StampToken, _ values: [String], after seconds: Int, server: String = "a"
    ) throws -> StampToken.Reading {
        try token.advance(
            to: ServerStamp(kind: token.kind, server: server, values: values), idsInterval: Self.interval,
            now: start + .seconds(seconds))
    }

    @Test("A search begins at a stamp that was ten minutes old when the search before it began")
    func lag() throws {
        var token = try token(witness: "150")
        #expect(try advance(&token, ["100"], after: 4000) == .nothingChanged)
        #expect(try advance(&token, ["110"], after: 4600) == .entries(from: "100"))
        // 110 is read, but entries that were counted before it may still come.
        #expect(try advance(&token, ["120"], after: 4700) == .entries(from: "100"))
        #expect(try advance(&token, ["130"], after: 5200) == .entries(from: "100"))
        #expect(try advance(&token, ["130"], after: 5300) == .entries(from: "110"))
    }

    @Test("A search begins at the witness, if that is older")
    func witness() throws {
        var token = try token(witness: "60")
        #expect(try advance(&token, ["110"], after: 4600) == .entries(from: "60"))
        token.note("v", "105")
        token.note("u", "")
        token.note("t", "104")
        #expect(token.witness == StampToken.Witness(id: "v", stamp: "105"))
        // Numbers are compared as such.
        token.note("s", "1000")
        #expect(token.witness?.id == "s")
        var without = try self.token(witness: nil)
        #expect(try advance(&without, ["110"], after: 4600) == .ids)
    }

    @Test("Ids are due after their interval, until ten minutes after the list, and if the clock was ahead")
    func ids() throws {
        var fresh = StampToken(
            ServerStamp(kind: .usnChanged, server: "a", values: ["5"]), at: start,
            idsDue: start + Self.interval)
        fresh.note("w", "5")
        #expect(try advance(&fresh, ["5"], after: 60) == .ids)
        #expect(try advance(&fresh, ["5"], after: 599) == .ids)
        #expect(try advance(&fresh, ["5"], after: 600) == .ids)
        #expect(try advance(&fresh, ["5"], after: 601) == .nothingChanged)

        var token = try token()
        #expect(try advance(&token, ["100"], after: 6 * 3600 - 1) == .nothingChanged)
        #expect(try advance(&token, ["100"], after: 6 * 3600) == .ids)
        token.noteIDs(now: start + Self.interval, interval: Self.interval)
        #expect(token.idsDue == start + Self.interval * 2)
        token.idsDue = start + .seconds(100_000)
        #expect(try advance(&token, ["100"], after: 6 * 3600 + 1) == .ids)
    }

    @Test("Another server, a smaller stamp and a clock that was ahead tell nothing")
    func unknown() throws {
        let token = try token()
        for (values, seconds, server) in [(["100"], 4000, "b"), (["99"], 4000, "a"), (["100"], 3599, "a")] {
            var token = token
            #expect(throws: ChangesUnknown.self) {
                try advance(&token, values, after: seconds, server: server)
            }
        }
        var other = token
        #expect(throws: ChangesUnknown.self) {
            try other.advance(
                to: ServerStamp(kind: .modifyTimestamp, server: "a"), idsInterval: Self.interval,
                now: start + .seconds(4000))
        }
    }

    @Test("Of several servers, those that moved count; one that is new or gone leads to the ids")
    func contextCSN() throws {
        func csn(_ second: Int, _ server: Int) -> String {
            "202601010000\(second).000000Z#000000#00\(server)#000000"
        }
        let witness = csn(40, 2)
        let token = try token(.entryCSN, [csn(20, 1), csn(40, 2)], witness: witness)
        for (values, reading) in [
            ([csn(20, 1), csn(40, 2)], StampToken.Reading.entries(from: csn(40, 2))),
            ([csn(21, 1), csn(40, 2)], .entries(from: csn(20, 1))),
            ([csn(20, 1), csn(41, 2)], .entries(from: csn(40, 2))),
            ([csn(21, 1), csn(41, 2)], .entries(from: csn(20, 1))), ([csn(40, 2)], .ids),
            ([csn(20, 1), csn(40, 2), csn(50, 3)], .ids),
        ] {
            var token = token
            #expect(try advance(&token, values, after: 4300) == reading)
        }
        var back = token
        #expect(throws: ChangesUnknown.self) { try advance(&back, [csn(19, 1), csn(40, 2)], after: 4300) }
    }

    @Test("A contextCSN that stands still is taken to be that of the newest entry")
    func frozen() throws {
        func csn(_ second: Int) -> String { "202601010000\(second).000000Z#000000#000#000000" }
        var token = try token(.entryCSN, [csn(10)], witness: csn(30))
        #expect(try advance(&token, [csn(10)], after: 4300) == .entries(from: csn(10)))
        #expect(try advance(&token, [csn(10)], after: 5000) == .entries(from: csn(10)))
        #expect(try advance(&token, [csn(10)], after: 5700) == .entries(from: csn(30)))
    }

    @Test("Only stamps get into a filter")
    func texts() {
        for (kind, text, stamp) in [
            (StampKind.usnChanged, "12", "12"), (.usnChanged, "-1", nil),
            (.usnChanged, "9223372036854775809", nil),
            (.entryUSN, "1)(uid=*", nil), (.entryUSN, "007", "7"),
            (
                .entryCSN, "20260101000000.000000Z#000000#000#000000",
                "20260101000000.000000Z#000000#000#000000"
            ),
            (.entryCSN, "2026)(uid=*", nil), (.modifyTimestamp, "20260101000000Z", "20260101000000Z"),
        ] as [(StampKind, String, String?)] {
            #expect(kind.valid(text) == stamp, "\(kind) \(text)")
        }
    }

    @Test("A token is read as it was written; another text is none")
    func text() throws {
        let token = try token()
        #expect(StampToken(token.text) == token)
        #expect(StampToken("{}") == nil && StampToken("abc") == nil)
    }
}
