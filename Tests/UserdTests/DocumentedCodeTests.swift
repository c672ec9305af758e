import Foundation
import Testing

/// What Architecture.md and README.md say of the code.
@Suite struct DocumentedCodeTests {
    private let article: String

    init() throws {
        article = try String(
            contentsOf: SourceFile.root.appending(
                path: "Sources/Daemon/userd/userd.docc/Architecture.md"),
            encoding: .utf8)
    }

    @Test("The table of targets in Architecture.md has the folders of Sources and what is in them")
    func targets() throws {
        var documented: [String: Set<String>] = [:]
        var folder = ""
        for row in try section("Layers and targets").split(separator: "\n") where row.hasPrefix("|") {
            let columns = row.split(separator: "|", omittingEmptySubsequences: false).map(Self.quoted)
            folder = columns[1].first ?? folder
            documented[folder, default: []].formUnion(columns[2])
        }
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: SourceFile.root.appending(path: "Sources").path)
        var present: [String: Set<String>] = ["Storage": ["Migrations"]]
        for parts in paths.map({ $0.split(separator: "/").map(String.init) }) where parts.count > 2 {
            present[parts[0], default: []].insert(parts[1])
        }
        documented[""] = nil
        #expect(documented == present)
    }

    @Test("How to add something names files, folders and tests that exist")
    func recipes() throws {
        var paths: [String] = []
        for top in ["Sources", "Migrations", "Tests"] {
            paths += try FileManager.default.subpathsOfDirectory(
                atPath: SourceFile.root.appending(path: top).path
            ).map { "/\(top)/\($0)" }
        }
        let recipes = try section("How to add something")
        let names = Self.quoted(recipes).filter { !$0.contains("…") && !$0.hasSuffix("_name.sql") }
        let files = names.filter { $0.contains("/") || $0.hasSuffix(".swift") || $0.hasSuffix("Tests") }
        #expect(files.count > 10)
        for file in files {
            let isKnown =
                file == "Package.swift"
                || paths.contains { $0.hasSuffix("/\(file)") || $0.hasSuffix("/\(file).swift") }
            #expect(isKnown, "\(file) does not exist")
        }
        let numbers = paths.compactMap { $0.firstMatch(of: /\/V(\d{4})_\w+\.sql$/).flatMap { Int($0.1) } }
        let next = try #require(numbers.max()) + 1
        let migration = "V\(String(format: "%04d", next))_name.sql"
        #expect(Self.quoted(recipes).contains("Migrations/\(migration)"), "\(next) is free")
    }

    @Test("README is short enough to be read in one go")
    func readme() throws {
        let text = try String(contentsOf: SourceFile.root.appending(path: "README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    private func section(_ title: String) throws -> String {
        let start = try #require(article.range(of: "\n## \(title)\n")).upperBound
        let rest = article[start...]
        return String(rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)])
    }

    /// The texts between backticks.
    private static func quoted(_ text: some StringProtocol) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
