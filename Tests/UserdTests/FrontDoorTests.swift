import Foundation
import Testing

/// The first comment of each target, which says what it is for and where to begin.
@Suite struct FrontDoorTests {
    @Test("Each target has a file of its name, or Main.swift, that begins with an overview of it")
    func doors() throws {
        let files = try SourceFile.all()
        for target in Set(files.map(\.target)) {
            let own = files.filter { $0.target == target }
            let door = own.first { ["\(target).swift", "Main.swift"].contains($0.name) }
            let length = door?.firstComment.count ?? 0
            #expect(8...20 ~= length, "\(target) begins with \(length) lines")
        }
    }

    @Test("Each file that an overview names exists")
    func namedFiles() throws {
        let files = try SourceFile.all()
        let doors = files.filter { ["\($0.target).swift", "Main.swift"].contains($0.name) }
        let names = Set(files.map(\.name))
        for door in doors {
            let words = door.firstComment.joined(separator: " ").split { " ,;:()".contains($0) }
            for word in words where word.hasSuffix(".swift") && !word.contains("…") {
                // `Services/Upstream+Pages.swift` is below the target's folder.
                let isKnown =
                    word.contains("/")
                    ? files.contains { $0.path.hasSuffix("/\(door.target)/\(word)") }
                    : names.contains("\(word)")
                #expect(isKnown, "\(door.path) names \(word)")
            }
        }
    }
}

extension SourceFile {
    fileprivate var name: String { String(path.split(separator: "/").last ?? "") }

    fileprivate var firstComment: ArraySlice<Substring> {
        lines.drop { !$0.isComment }.prefix(while: \.isComment)
    }
}
