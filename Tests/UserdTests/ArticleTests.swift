import Foundation
import Testing

/// README.md or an article, as a forge and the Debian package show it.
private struct Document {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let catalogue = root.appending(path: "Sources/Daemon/userd/userd.docc")

    let file: URL
    /// The text without code.
    private let text: String

    init(_ file: URL) throws {
        self.file = file.standardizedFileURL
        text = try String(contentsOf: file, encoding: .utf8)
            .replacing(/(?ms)^ *```.*?^ *```/, with: "").replacing(/`[^`\n]*`/, with: "")
    }

    static func articles() throws -> [Document] {
        try FileManager.default.contentsOfDirectory(at: catalogue, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "md" }.map(Document.init)
    }

    /// Links to files or headings, not to the web.
    var links: [String] {
        text.matches(of: /\]\(([^)]*)\)/).map { String($0.1) }.filter { !$0.contains("://") }
    }

    /// True if following the links needs DocC.
    var hasDocCLinks: Bool { text.contains("<doc:") || text.contains("](doc:") }

    /// The anchors of headings, as forges name them: "Any JSON API" is any-json-api.
    var anchors: [String] {
        get throws {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("#") }
                .map { line in
                    String(
                        line.drop { $0 == "#" || $0 == " " }.lowercased()
                            .filter { $0.isLetter || $0.isNumber || " _-".contains($0) }
                            .map { $0 == " " ? "-" : $0 })
                }
        }
    }

    /// Links to missing files or headings.
    var brokenLinks: [String] {
        get throws {
            try links.filter { link in
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let target =
                    parts[0].isEmpty
                    ? file : file.deletingLastPathComponent().appending(path: parts[0]).standardizedFileURL
                guard FileManager.default.fileExists(atPath: target.path) else { return true }
                return try parts.count == 2 && !Document(target).anchors.contains(String(parts[1]))
            }
        }
    }
}

@Suite struct ArticleTests {
    @Test("Each link of README.md and the articles leads to a file and a heading that exist")
    func links() throws {
        let readme = try Document(Document.root.appending(path: "README.md"))
        let all = try Document.articles() + [readme]
        #expect(all.count > 10 && readme.links.count > 5)
        for document in all {
            let broken = try document.brokenLinks
            #expect(broken == [], "\(document.file.lastPathComponent)")
        }
    }

    @Test("Articles link to each other by file names, which forges, packages and DocC can follow")
    func plainLinks() throws {
        for article in try Document.articles() {
            let name = article.file.lastPathComponent
            #expect(!article.hasDocCLinks, "\(name)")
            #expect(article.links.filter { $0.contains("/") } == [], "\(name)")
        }
    }

    @Test("The first page of the articles lists each article")
    func topics() throws {
        let articles = try Document.articles().map(\.file.lastPathComponent)
        let first = try #require(try Document.articles().first { $0.file.lastPathComponent == "userd.md" })
        #expect(Set(first.links) == Set(articles).subtracting(["userd.md"]))
    }

    @Test("The page about .ci has a row for each program there, and no other")
    func programs() throws {
        let folder = Document.root.appending(path: ".ci")
        let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        let rows = page.matches(of: /(?m)^\| `([^`]+)` \|/).map { String($0.1) }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(rows.sorted() == Set(files).subtracting(["README.md", "debian", "sanitize.c"]).sorted())
    }

    @Test("A link to a missing file or heading is found")
    func missing() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).md")
        defer { try? FileManager.default.removeItem(at: file) }
        try """
        # One
        ## Any JSON API: `x-y`, and more
        [a](#one) [b](#any-json-api-x-y-and-more) [c](#two) [d](Three.md) [e](https://four.example/five)
        `[f](Six.md)`
        ```sh
        ## [g](Seven.md)
        ```
        """.write(to: file, atomically: true, encoding: .utf8)
        let broken = try Document(file).brokenLinks
        #expect(broken == ["#two", "Three.md"])
    }
}
