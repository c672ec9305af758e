import CommandSupport
import Commands
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Changes to config.yaml")
struct ConfigurationFileTests {
    @Test func `a link and the mode of its file stay, and the former text is kept`() throws {
        let folder = try TemporaryDirectory()
        try "a: 1\n".write(toFile: folder.file("real"), atomically: true, encoding: .utf8)
        chmod(folder.file("real"), 0o640)
        let path = folder.file("config.yaml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real")
        try ConfigurationFile(path: path).replace(with: Array("b: 2\n".utf8)) { _ in nil }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "real")
        #expect(try String(contentsOfFile: folder.file("real"), encoding: .utf8) == "b: 2\n")
        #expect(
            try FileManager.default.attributesOfItem(atPath: folder.file("real"))[.posixPermissions] as? Int
                == 0o640)
        #expect(try String(contentsOfFile: path + ".before-userctl", encoding: .utf8) == "a: 1\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }

    @Test func `users are found after a byte order mark`() throws {
        let folder = try TemporaryDirectory()
        for (text, hasUsers) in [("\u{FEFF}users:\n  pages: 2\n", true), ("\u{FEFF}http: {}\n", false)] {
            try Data(text.utf8).write(to: URL(filePath: folder.file("config.yaml")))
            #expect(try ConfigurationFile(path: folder.file("config.yaml")).hasUsers() == hasUsers)
        }
    }

    @Test func `a mistake names the file, which stays as it was`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("config.yaml")
        try "a: 1\n".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) {
            try ConfigurationFile(path: path).replace(with: Array("b".utf8)) { "\($0):1: no" }
        }
        #expect(error?.message == "userd would not take the changed \(path): \(path):1: no")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a: 1\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.yaml"])
    }
}
