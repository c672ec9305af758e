import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite("Replacing files") struct DurableFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(directory.file(name), &status) == 0)
        return status.st_mode
    }

    @Test(
        "A file gets the mode that is asked for, whatever its old mode and the umask",
        arguments: [(nil, 0o600), (0o644, 0o600), (0o600, 0o666), (0o444, 0o640)] as [(mode_t?, mode_t)])
    func modes(old: mode_t?, new: mode_t) throws {
        let path = directory.file("a")
        if let old {
            try Data("longer than the new content".utf8).write(to: URL(filePath: path))
            chmod(path, old)
        }
        try replaceDurably(path, with: [Array("ne".utf8), [], Array("w".utf8)], mode: new)
        #expect(try mode("a") == S_IFREG | new)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(try names == ["a"])
    }

    @Test(
        "Links are replaced, not followed: the file's own, and one at the temporary name",
        arguments: ["a", "a.new"])
    func links(name: String) throws {
        let other = directory.file("other")
        try Data("other".utf8).write(to: URL(filePath: other))
        try #require(symlink(other, directory.file(name)) == 0)
        try replaceDurably(directory.file("a"), with: [Array("new".utf8)])
        #expect(try mode("a") == S_IFREG | 0o600)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "other")
        #expect(try names == ["a", "other"])
    }

    @Test("A file that can't be replaced stays as it is, and nothing is left beside it")
    func failure() throws {
        try #require(mkdir(directory.file("a"), 0o700) == 0)
        let error = #expect(throws: FileWriteError.self) {
            try replaceDurably(directory.file("a"), with: [[1]])
        }
        #expect(error?.description == "\(directory.file("a")) can't be written: Is a directory")
        #expect(try names == ["a"])
    }
}
