import Foundation
import Model
import TestSupport
import Testing

/// Version.swift and its uses.
@Suite struct VersionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The output of .ci/about for a text of Version.swift; nil for the real file.
    private func about(_ name: String, in text: String? = nil) async throws -> Finished {
        var arguments = ["\(Self.root)/.ci/about", name]
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        if let text {
            try text.write(to: file, atomically: true, encoding: .utf8)
            arguments.append(file.path)
        }
        return try await run("/bin/bash", arguments, environment: ["PATH": "/usr/bin:/bin"])
    }

    @Test("The version is defined in one place and is the first in Changes.md")
    func once() async throws {
        let found = try await run(
            "/usr/bin/grep",
            ["-rlwF", version]
                + ["Sources", "Makefile", "README.md", ".ci", "systemd"].map { "\(Self.root)/\($0)" },
            environment: [:])
        #expect(
            Set(found.outputLines.map { $0.dropFirst(Self.root.count + 1) })
                == ["Sources/Base/Model/Version.swift", "Sources/Daemon/userd/userd.docc/Changes.md"])
        let changes = try String(
            contentsOfFile: Self.root + "/Sources/Daemon/userd/userd.docc/Changes.md", encoding: .utf8)
        #expect(changes.split(separator: "\n").first { $0.hasPrefix("## ") } == "## \(version)")
    }

    @Test("The package has the same maintainer and homepage as the programs")
    func same() async throws {
        for (name, value) in [("maintainer", maintainer), ("homepage", homepage)] {
            let finished = try await about(name)
            #expect(finished.code == 0)
            #expect(finished.outputLines == (value.map { [$0] } ?? []))
            #expect(finished.errors.isEmpty == (value != nil))
        }
    }

    @Test("A missing maintainer is reported with the place to set it, and an unquoted text is refused")
    func unset() async throws {
        let text =
            "package let maintainer: String? = nil\npackage let homepage: String? = \"https://a.example/b\"\n"
        let maintainer = try await about("maintainer", in: text)
        #expect(maintainer.output == "")
        #expect(
            maintainer.errors
                == "Notice: the maintainer is not set; set `maintainer` in Sources/Base/Model/Version.swift\n"
        )
        #expect(try await about("homepage", in: text).output == "https://a.example/b\n")
        let moved = try await about("homepage", in: "package let homepage = default\n")
        #expect(moved.code == 1)
        #expect(moved.errors.contains("homepage has to be nil or a text in quotes"))
    }
}
