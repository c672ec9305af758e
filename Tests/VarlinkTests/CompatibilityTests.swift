import Foundation
import Testing
import Varlink
import VarlinkFixtures

@Suite struct CompatibilityTests {
    @Test("io.userd has everything that the last release had, unchanged")
    func released() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Released/io.userd.varlink")
        let earlier = try Interface(parsing: try String(contentsOf: file, encoding: .utf8))
        let now = try Interface(parsing: try PublishedInterface.text("UserdAPI/io.userd.varlink"))
        try #require(earlier.methods.count > 10)
        #expect(now.breaks(since: earlier) == [])
    }

    private static let text = """
        interface org.example
        type Kind (one, two)
        type Filter (name: ?string)
        type Thing (id: string, kind: Kind, tags: []string, size: ?(width: int, unit: (cm, m)))
        method List(kind: ?Kind, filter: ?Filter) -> (things: []Thing)
        # [Requires 'more' flag]
        method Watch() -> (thing: Thing)
        error NotFound (id: string)
        """

    /// Compares the text with a copy in which one part is replaced.
    private func breaks(_ old: String, _ new: String) throws -> [String] {
        try #require(Self.text.contains(old))
        return try Interface(parsing: Self.text.replacingOccurrences(of: old, with: new))
            .breaks(since: Interface(parsing: Self.text))
    }

    @Test(
        "Additions to an interface break no client",
        arguments: [
            ("(one, two)", "(zero, one, two)"), ("type Filter (", "type Filter (kind: ?Kind, "),
            ("type Thing (", "type Thing (owner: ?int, "), ("(width: int", "(depth: int, width: int"),
            ("List(", "List(search: ?string, "), ("-> (things", "-> (total: int, things"),
            ("NotFound (id", "NotFound (kind: Kind, id"), ("error NotFound", "error Gone ()\nerror NotFound"),
            ("type Thing", "method Get(id: string) -> (thing: Thing)\ntype Thing"),
            ("type Kind", "# A comment\ntype Kind"),
        ])
    func added(old: String, new: String) throws {
        #expect(try breaks(old, new) == [])
    }

    @Test(
        "Removals, changes and new requirements in an interface break clients",
        arguments: [
            ("org.example", "org.other", "interface org.example"),
            ("(one, two)", "(one, three)", "type Kind, value two"),
            ("(cm, m)", "(m, km)", "type Thing, field size, field unit, value cm"),
            ("id: string, kind", "kind", "type Thing, field id"),
            ("id: string, kind", "id: int, kind", "type Thing, field id"),
            ("id: string, kind", "id: ?string, kind", "type Thing, field id"),
            ("tags: []string", "tags: []int", "type Thing, field tags"),
            ("tags: []string", "tags: [string]string", "type Thing, field tags"),
            ("size: ?(", "size: (", "type Thing, field size"),
            ("width: int", "width: float", "type Thing, field size, field width"),
            ("type Kind (one, two)", "type Kind (one: int)", "type Kind"),
            ("method List", "method ListAll", "method List"),
            ("kind: ?Kind, filter", "filter", "method List, parameter kind"),
            ("(kind: ?Kind", "(search: string, kind: ?Kind", "method List, parameter search, required"),
            (
                "(name: ?string)", "(name: ?string, id: int)",
                "method List, parameter filter, field id, required"
            ),
            ("things: []Thing", "thing: Thing", "method List, result things"),
            ("# [Requires 'more' flag]\n", "", "method Watch, more"),
            ("error NotFound (id: string)", "", "error NotFound"),
            ("NotFound (id", "NotFound (key", "error NotFound, field id"),
        ])
    func broken(old: String, new: String, expected: String) throws {
        #expect(try breaks(old, new) == [expected])
    }
}
