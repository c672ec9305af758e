import Glibc
import Model
import TerminalViews
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite struct PictureFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 100)
        return String(decoding: buffer[..<fread(&buffer, 1, buffer.count, file)], as: UTF8.self)
    }

    private var names: [String] {
        var names: [String] = []
        guard let folder = opendir(directory.path) else { return [] }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names.filter { !$0.hasPrefix(".") || $0.count > 2 }.sorted()
    }

    @Test func `--output writes the picture's file, and nothing to the terminal`() async throws {
        let path = directory.file("p.webp")
        let ended = await userctl(
            ["picture", "anna", "--output", path], userd: try pictured(webpPicture), width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.code == 0)
        #expect(ended.output == "")
        #expect(read(path) == "RIFF")
        #expect(names == ["p.webp"])
    }

    @Test func `a placeholder is written to no file, and an older picture there stays`() async throws {
        let path = directory.file("p.png")
        let arguments = ["picture", "anna", "--output", path]
        let ended = await userctl(arguments, userd: try pictured(missingPicture), width: 80)
        #expect(ended.code == 1)
        #expect(ended.errors.contains("; nothing was written\n"))
        #expect(names == [])
        #expect(await userctl(arguments, userd: try pictured(webpPicture)).code == 0)
        #expect(await userctl(arguments, userd: try pictured(missingPicture)).code == 1)
        #expect(read(path) == "RIFF")
    }

    @Test(arguments: [
        ("p.png", nil), ("p.PNG", nil), ("p", nil), ("png", nil), ("p.jpg.png", nil), ("p.backup", nil),
        ("p.jpg", "jpg"), ("p.png.JPEG", "JPEG"), ("p.webp", "webp"),
    ])
    func `a name that promises another format is noticed`(name: String, ending: String?) async throws {
        let arguments = ["picture", "anna", "--output", directory.file(name)]
        let ended = await userctl(arguments, userd: try pictured(samplePicture))
        #expect(ended.code == 0)
        #expect(
            ended.errors
                == (ending.map {
                    "userctl: the picture is image/png, though the file's name ends in .\($0)\n"
                } ?? ""))
    }

    @Test func `a terminal as the output file is refused, too`() async throws {
        var (main, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&main, &terminal, nil, nil, nil) == 0)
        defer { for descriptor in [main, terminal] { close(descriptor) } }
        let path = String(cString: try #require(ttyname(terminal)))
        let ended = await userctl(["picture", "anna", "--output", path], userd: try pictured(samplePicture))
        #expect(ended.code == 64)
        #expect(ended.errors.hasPrefix("userctl: \(path) is a terminal\n"))
    }

    @Test func `a failed write ends with 74 and leaves no file behind`() async throws {
        for path in [directory.file("no/p.png"), directory.path] {
            let ended = await userctl(
                ["picture", "anna", "--output", path], userd: try pictured(samplePicture))
            #expect(ended.code == 74)
            #expect(ended.errors.hasPrefix("userctl: \(path) can't be written: "))
        }
        #expect(names == [])
    }

    @Test func `a missing folder is named, not created`() async throws {
        try #require(symlink("no/p.png", directory.file("link")) == 0)
        for name in ["no/p.png", "link"] {
            let arguments = ["picture", "anna", "--output", directory.file(name)]
            let ended = await userctl(arguments, userd: try pictured(samplePicture))
            #expect(ended.code == 74)
            #expect(
                ended.errors == """
                    userctl: \(directory.file("no/p.png")) can't be written: the folder \(directory.file("no")) does not exist
                    userctl: create the folder, or name another file

                    """)
        }
        #expect(names == ["link"])
    }
}
