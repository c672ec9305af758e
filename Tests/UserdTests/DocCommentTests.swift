import Testing

@Suite struct DocCommentTests {
    /// Such a sentence leans on the name below it, and has to be read together with it.
    @Test("A doc comment begins with a subject or a verb", arguments: ["Of", "As", "For", "Who", "Where"])
    func beginnings(word: String) throws {
        for file in try SourceFile.all() {
            for (number, line) in file.lines.enumerated() where line.contains("/// \(word) ") {
                let isFirst = number == 0 || !file.lines[number - 1].contains("///")
                if isFirst { Issue.record("\(file.path):\(number + 1):\(line)") }
            }
        }
    }
}
