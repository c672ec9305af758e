/// A command's discussion: paragraphs, and sections of indented lines below a title with a colon.
struct Discussion {
    struct Section {
        var title: String
        var lines: [String]

        /// Each line split at two or more blanks: `69   no cache`.
        var terms: [(term: String, meaning: String)] {
            lines.map { line in
                guard let gap = line.firstRange(of: "  ") else { return (line, "") }
                return (String(line[..<gap.lowerBound]), String(line[gap.upperBound...].drop { $0 == " " }))
            }
        }
    }

    var paragraphs: [String] = []
    var sections: [Section] = []

    init(_ text: String) {
        for block in text.split(separator: "\n\n") {
            let lines = block.split(separator: "\n")
            if let title = lines.first, title.hasSuffix(":"),
                lines.dropFirst().allSatisfy({ $0.hasPrefix("  ") })
            {
                sections.append(
                    Section(
                        title: String(title.dropLast()),
                        lines: lines.dropFirst().map { String($0.dropFirst(2)) }))
            } else {
                paragraphs.append(lines.joined(separator: " "))
            }
        }
    }
}
