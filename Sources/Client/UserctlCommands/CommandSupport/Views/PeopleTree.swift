import Model
import TerminalViews
import UserdAPI

/// Users below one another, each with title and telephone number.
struct PeopleTree: View {
    struct Person {
        let name: String
        let depth: Int
        var user: User?
        var reports: Int?
        /// Whether this is the user who was asked for.
        var isMeant = false

        init(_ user: User, depth: Int, reports: Int? = nil, isMeant: Bool = false) {
            (name, self.user) = (user.shownName, user)
            (self.depth, self.reports, self.isMeant) = (depth, reports, isMeant)
        }

        /// A manager who is not among the users.
        init(absent name: String) { (self.name, depth) = ("\(name) (not among the users)", 0) }
    }

    private let people: [Person]
    private let hasHeader: Bool
    /// Nil for indentation alone.
    private let lines: [String]?
    private let deepest: Int

    /// - Parameter people: each is followed by those below.
    init(_ people: [Person], hasHeader: Bool, on output: Console.Output) {
        (self.people, self.hasHeader) = (people, hasHeader)
        lines = output.width != nil && output.charset == .unicode ? Self.lines(people.map(\.depth)) : nil
        deepest = output.width.map { max(2, $0 / 8) } ?? .max
    }

    var body: some View {
        Table(Array(people.enumerated()), hasHeader: hasHeader) {
            TableColumn("Name", rank: .whole) { place, person in
                let text = Text(indent(place) + person.name)
                return person.isMeant ? text.style(.title) : text
            }
            TableColumn("Title") { Text($1.user?.jobTitle ?? "") }
            TableColumn("Phone", rank: .whole) { Text($1.user?.phone ?? $1.user?.cell ?? "") }
            if people.contains(where: { $0.reports != nil }) {
                TableColumn("Reports", alignment: .trailing) {
                    Text($1.reports.flatMap { $0 > 0 ? grouped($0) : nil } ?? "")
                }
            }
        }
    }

    private func indent(_ place: Int) -> String {
        let depth = people[place].depth
        // Beyond a quarter of the line, the level is a number.
        if depth > deepest { return String(repeating: "  ", count: deepest) + "(\(depth)) " }
        return lines?[place] ?? String(repeating: "  ", count: depth)
    }

    /// The lines from each person to the one above.
    private static func lines(_ depths: [Int]) -> [String] {
        // Whether a level goes on below.
        var (goesOn, lines) = ([Bool](), [String]())
        for depth in depths.reversed() {
            while goesOn.count <= depth { goesOn.append(false) }
            let above = depth > 1 ? goesOn[1..<depth].map { $0 ? "│ " : "  " }.joined() : ""
            lines.append(depth == 0 ? "" : above + (goesOn[depth] ? "├ " : "└ "))
            goesOn[depth] = true
            goesOn.removeSubrange((depth + 1)...)
        }
        return lines.reversed()
    }
}
