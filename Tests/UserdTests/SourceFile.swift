import Foundation
import Synchronization
import Testing

/// A file of the sources or the tests.
struct SourceFile {
    var path: String
    /// The folder in Sources, else the one at the top.
    var folder: String
    var target: String
    /// `TARGET/FOLDER` if the file is in a folder of its target, else the target.
    var room: String
    var lines: [Substring]
    /// X for `import X`, `package import X`, `@preconcurrency import struct X.Y`.
    let imports: [String]

    private init(path: String, lines: [Substring]) {
        (self.path, self.lines) = (path, lines)
        let parts = path.split(separator: "/").map(String.init)
        switch parts[0] {
        case "Sources": (folder, target) = (parts[1], parts[2])
        case "Migrations": (folder, target) = ("Storage", "Migrations")
        default: (folder, target) = (parts[0], parts[1])
        }
        room = parts.count > 4 && parts[0] == "Sources" ? "\(target)/\(parts[3])" : target
        imports = lines.filter { $0.contains("import ") }.compactMap(Self.imported)
    }

    /// X for `struct X`, `package final class X<Element>: Y`.
    var declaredTypes: [String] {
        lines.filter { !$0.isComment }.compactMap { line in
            let words = line.split { $0 != "_" && !$0.isLetter && !$0.isNumber }
            let kind = words.firstIndex { ["actor", "class", "enum", "protocol", "struct"].contains($0) }
            return kind.flatMap { $0 + 1 < words.count ? String(words[$0 + 1]) : nil }
        }
    }

    /// All files of Sources and Migrations, and of this folder.
    static func all(with folder: String? = nil) throws -> [SourceFile] {
        try known.withLock { known in
            if let files = known[folder] { return files }
            let files = try read(with: folder)
            known[folder] = files
            return files
        }
    }

    private static let known = Mutex<[String?: [SourceFile]]>([:])

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func read(with folder: String?) throws -> [SourceFile] {
        var files: [SourceFile] = []
        for top in ["Sources", "Migrations"] + (folder.map { [$0] } ?? []) {
            let names = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: top).path)
            for name in names where name.hasSuffix(".swift") {
                let text = try String(
                    contentsOf: root.appending(path: top).appending(path: name), encoding: .utf8)
                files.append(
                    SourceFile(
                        path: "\(top)/\(name)",
                        lines: text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()))
            }
        }
        try #require(files.count > 100)
        return files
    }

    private static func imported(_ line: Substring) -> String? {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"), keyword < words.endIndex - 1,
            words[..<keyword].allSatisfy({
                $0.hasPrefix("@") || ["package", "public", "internal", "private"].contains($0)
            }),
            let name = words.last
        else { return nil }
        return String(name.prefix { $0 != "." })
    }
}

extension Substring {
    var isComment: Bool { trimmingPrefix(while: \.isWhitespace).hasPrefix("//") }
}
