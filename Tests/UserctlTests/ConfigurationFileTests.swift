import Foundation
import Glibc
import TestSupport
import Testing
import YAML

@testable import UserctlCommands

@Suite("Changes to config.yaml")
struct ConfigurationFileTests {
    private func edit(_ file: Configuration) throws(YAMLError) -> Configuration {
        try file.setting([("b", "2")])
    }

    @Test func `a link and the mode of its file stay, and the former text is kept`() throws {
        let folder = try TemporaryDirectory()
        try "a: 1\n".write(toFile: folder.file("real"), atomically: true, encoding: .utf8)
        chmod(folder.file("real"), 0o640)
        let path = folder.file("config.yaml")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "real")
        try ConfigurationFile(path: path).change(byHand: "", mistake: { _ in nil }, edit)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "real")
        #expect(try String(contentsOfFile: folder.file("real"), encoding: .utf8) == "a: 1\nb: 2\n")
        #expect(
            try FileManager.default.attributesOfItem(atPath: folder.file("real"))[.posixPermissions] as? Int
                == 0o640)
        #expect(try String(contentsOfFile: path + ".before-userctl", encoding: .utf8) == "a: 1\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }

    @Test(
        "A file that can't be read, or not be changed safely, stays, and the error says where and what to do",
        arguments: [
            ("a: 1\n\tb: 2\n", ":2: is not valid YAML: ", "check-config"),
            ("a: &x 1\n", ":1: has an anchor", "check-config"),
            ("a: 1\na: 2\n", ":2: has \"a\" twice", "check-config"),
            ("{a: 1}\n", " is written in a way", "add b"),
            ("b: [1,\n  2]\n", ":1: b is written in a way", "add b"),
        ])
    func refused(text: String, words: String, advice: String) throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("config.yaml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) {
            try ConfigurationFile(path: path).change(byHand: "add b yourself", mistake: { _ in nil }, edit)
        }
        #expect(
            error?.message.hasPrefix(path + words) == true && error?.advice.first?.contains(advice) == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.yaml"])
    }

    @Test func `a check that does not end is a reason, not an internal error`() throws {
        var probes = DoctorProbes.live([:])
        probes.find = { _ in "/usr/bin/userd" }
        probes.run = { _, _, _, limit in throw ProgramRunError.late(limit) }
        #expect(
            try probes.mistake(inConfiguration: "/c")
                == "/usr/bin/userd --check-config: it did not end within 10.0 seconds")
    }

    @Test func `a mistake names the file, which stays as it was`() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("config.yaml")
        try "a: 1\n".write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: CommandError.self) {
            try ConfigurationFile(path: path).change(byHand: "", mistake: { "\($0):1: no" }, edit)
        }
        #expect(error?.message == "userd would not take the changed \(path): \(path):1: no")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a: 1\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["config.yaml"])
    }
}
