import Testing

@Suite struct FunctionLengthTests {
    @Test("No function has more than 70 lines")
    func functions() throws {
        for file in try SourceFile.all() {
            for (line, length) in file.functions where length > 70 {
                Issue.record("\(file.path):\(line) has \(length) lines: split it")
            }
        }
    }

    @Test("The test of lengths finds functions, initialisers and computed properties")
    func finds() throws {
        let file = try #require(SourceFile.all().first { $0.path.hasSuffix("/Model/User.swift") })
        #expect(file.functions.contains { $0.length > 3 })
        #expect(try SourceFile.all().flatMap(\.functions).count > 3000)
    }
}

extension SourceFile {
    /// The line at which each body of several lines begins, and its length. In formatted code, the brace that ends it
    /// stands where its declaration began.
    fileprivate var functions: [(line: Int, length: Int)] {
        lines.indices.compactMap { start in
            guard !lines[start].isComment, Self.declares(lines[start]) else { return nil }
            let indentation = lines[start].prefix { $0 == " " }
            let end = lines[(start + 1)...].firstIndex {
                !$0.isEmpty
                    && ($0 == indentation + "}" || !$0.hasPrefix(indentation)
                        || Self.declares($0, at: indentation))
            }
            guard let end, lines[end] == indentation + "}" else { return nil }
            return (start + 1, end - start + 1)
        }
    }

    private static func declares(_ line: Substring, at indentation: Substring? = nil) -> Bool {
        if let indentation, line.prefix(while: { $0 == " " }) != indentation { return false }
        let words = line.drop { $0 == " " }.prefix { $0 != "(" && $0 != "{" && $0 != ":" }.split(
            separator: " ")
        let name = words.first { !["package", "private", "fileprivate", "static", "mutating"].contains($0) }
        switch name {
        case "func", "init", "init?", "subscript": return !line.hasSuffix("}")
        case "var": return line.hasSuffix("{")
        default: return false
        }
    }
}
