import Cache
import Glibc
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing
import UserctlKit
import UserdAPI
import Varlink

/// Red and green above blue and half of white.
private let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAGUlEQVR4nAXBAQ0AAAjAINwsbvILImlH4h4/gAaBNbRWFQAAAABJRU5ErkJggg=="
private let pngFile: [UInt8] = base64Decoded(png)

private func base64Decoded(_ text: String) -> [UInt8] {
    let reply = PictureReply(content: text, contentType: "image/png", placeholder: false)
    return (try? reply.file()) ?? []
}

private func userd(_ reply: PictureReply, of user: User = anna) throws -> UserdClient {
    var client = UserdClient.untouched
    client.getPicture = try Asked().answering(.getPicture, reply)
    client.getPictureSoon = client.getPicture
    let record = String(decoding: try encoded(user), as: UTF8.self)
    client.getUser = Asked().answering(
        .getUser,
        #"{"user":\#(record),"freshness":{"phase":"loaded","synced_at":"2026-03-04T12:00:00Z","age":0,"stale":false}}"#
    )
    return client
}

private let sample = PictureReply(content: png, contentType: "image/png", placeholder: false)
private let webp = PictureReply(content: "UklGRg==", contentType: "image/webp", placeholder: false)

@Suite struct PictureCommandTests {
    @Test func `a picture is asked for in the size that is named, and by the key`() async throws {
        var client = UserdClient.untouched
        let asked = Asked<GetPicture>()
        client.getPicture = try asked.answering(.getPicture, sample)
        _ = await userctl("picture", "anna", "--size", "large", userd: client)
        _ = await userctl("picture", "anna", userd: client)
        #expect(asked.all == [GetPicture(key: "anna", size: .large), GetPicture(key: "anna")])
    }

    @Test func `on a terminal it is drawn the way that the terminal has`() async throws {
        let client = try userd(sample)
        let drawn = await userctl(
            ["picture", "anna"], userd: client, width: 4, pictures: PictureDrawing(.blocks(.all)))
        #expect(drawn.output.hasPrefix("\u{1B}[0;48;2;255;0;0m  \u{1B}[0;48;2;0;255;0m  \u{1B}[0m\n"))
        #expect(drawn.code == 0)
        #expect(drawn.errors == "")
        let kitty = await userctl(
            ["picture", "anna"], userd: client, width: 80, pictures: PictureDrawing(.kitty))
        #expect(kitty.output.contains("\u{1B}_Ga=T,f=32,s=2,v=2,c=44,r=22,"))
    }

    @Test(arguments: [
        ("kitty", "\u{1B}_G"), ("iterm2", "\u{1B}]1337;File=inline=1;size=82;"), ("blocks", "\u{1B}[0;"),
    ])
    func `--draw overrides what the terminal is taken for`(way: String, expected: String) async throws {
        for pictures in [nil, PictureDrawing(.kitty)] {
            let drawn = await userctl(
                ["picture", "anna", "--draw", way], userd: try userd(sample), width: 80, pictures: pictures)
            #expect(drawn.output.contains(expected))
        }
    }

    @Test func `a terminal that shows no pictures is told from one that does`() async throws {
        for arguments in [["picture", "anna"], ["picture", "anna", "--draw", "none"]] {
            let ended = await userctl(
                arguments, userd: .untouched, width: 80,
                pictures: arguments.count > 2 ? PictureDrawing(.kitty) : nil)
            #expect(ended.code == 1)
            #expect(ended.output == "")
            #expect(ended.errors.contains("--output FILE writes it"))
        }
    }

    @Test func `anywhere else its bytes are written, and nothing else`() async throws {
        for arguments in [["picture", "anna"], ["picture", "anna", "--output", "-"]] {
            let ended = await userctl(arguments, userd: try userd(sample))
            #expect(ended.bytes == pngFile)
            #expect(ended.code == 0)
        }
    }

    @Test func `its bytes never go to a terminal`() async throws {
        let ended = await userctl(
            ["picture", "anna", "--output", "-"], userd: .untouched, width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.code == 64)
        #expect(ended.output == "")
        #expect(ended.errors.hasPrefix("userctl: a picture's bytes are not for a terminal\n"))
    }

    @Test func `the placeholder is drawn, and said to be one`() async throws {
        let reply = PictureReply(content: png, contentType: "image/png", placeholder: true)
        let ended = await userctl(
            ["picture", "anna"], userd: try userd(reply), width: 80, pictures: PictureDrawing(.kitty))
        #expect(ended.code == 0)
        #expect(ended.output.contains("\u{1B}_G"))
        #expect(
            ended.errors == "userctl: no such picture can be had at the moment: this is a placeholder\n")
    }

    @Test func `of a user without a picture that is said`() async throws {
        var bare = anna
        bare.picture = nil
        let reply = PictureReply(content: png, contentType: "image/png", placeholder: true)
        let ended = await userctl(["picture", "anna"], userd: try userd(reply, of: bare))
        #expect(ended.errors == "userctl: this user has no picture: this is a placeholder\n")
    }

    @Test func `what can't be drawn is said to be so, and can still be written`() async throws {
        let client = try userd(webp)
        let drawn = await userctl(
            ["picture", "anna"], userd: client, width: 80, pictures: PictureDrawing(.blocks(.all)))
        #expect(drawn.code == 1)
        #expect(drawn.output == "")
        #expect(
            drawn.errors == """
                userctl: pictures of the type image/webp can't be drawn here, only JPEG and PNG
                userctl: --output FILE writes it as it is

                """)
        let written = await userctl(["picture", "anna"], userd: client)
        #expect(written.output == "RIFF")
    }

    @Test func `a picture of another type is named without its escapes`() async throws {
        let reply = PictureReply(content: "AAAA", contentType: "image/\u{1B}[2J", placeholder: false)
        let ended = await userctl(
            ["picture", "anna"], userd: try userd(reply), width: 80, pictures: PictureDrawing(.kitty))
        #expect(ended.errors.contains(#"image/\u{1B}[2J"#))
    }

    @Test func `without userd it is the cache's`() async throws {
        let cache = try await CacheFile(
            users: [anna, wei],
            pictures: [
                .init(
                    userID: anna.id, size: .large, url: "https://example.com/l.png",
                    picture: FetchedPicture(content: pngFile, contentType: "image/png"))
            ])
        let paths = ["--socket", "/nonexistent/userd.sock", "--database", cache.path]
        let notRunning = "userctl: userd is not running; reading the cache at \(cache.path)\n"
        let ended = await userctl(["picture", anna.id] + paths)
        #expect(ended.bytes == pngFile)
        #expect(ended.errors == notRunning)
        let placeholder = await userctl(["picture", wei.id] + paths)
        #expect(placeholder.code == 0)
        #expect(placeholder.bytes.starts(with: [0x89, 0x50]))
        #expect(
            placeholder.errors
                == notRunning + "userctl: this user has no picture: this is a placeholder\n")
        let card = await userctl(["show", anna.id] + paths, width: 80, pictures: PictureDrawing(.kitty))
        #expect(card.output.contains("\u{1B}_Ga=T,f=32,s=2,v=2,c=26,r=13,"))
    }
}

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
        let path = directory.file("p.png")
        let ended = await userctl(
            ["picture", "anna", "--output", path], userd: try userd(webp), width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.code == 0)
        #expect(ended.output == "")
        #expect(read(path) == "RIFF")
        #expect(names == ["p.png"])
    }

    @Test func `a terminal that is named as a file is refused, too`() async throws {
        var (main, terminal): (Int32, Int32) = (-1, -1)
        try #require(openpty(&main, &terminal, nil, nil, nil) == 0)
        defer { for descriptor in [main, terminal] { close(descriptor) } }
        let path = String(cString: try #require(ttyname(terminal)))
        let ended = await userctl(["picture", "anna", "--output", path], userd: try userd(sample))
        #expect(ended.code == 64)
        #expect(ended.errors.hasPrefix("userctl: \(path) is a terminal\n"))
    }

    @Test func `what can't be written ends with 74 and leaves nothing behind`() async throws {
        for path in [directory.file("no/p.png"), directory.path] {
            let ended = await userctl(["picture", "anna", "--output", path], userd: try userd(sample))
            #expect(ended.code == 74)
            #expect(ended.errors.hasPrefix("userctl: \(path) can't be written: "))
        }
        #expect(names == [])
    }

    @Test func `a folder that is not there is named, and not made`() async throws {
        try #require(symlink("no/p.png", directory.file("link")) == 0)
        for name in ["no/p.png", "link"] {
            let arguments = ["picture", "anna", "--output", directory.file(name)]
            let ended = await userctl(arguments, userd: try userd(sample))
            #expect(ended.code == 74)
            #expect(
                ended.errors == """
                    userctl: \(directory.file("no/p.png")) can't be written: there is no folder \(directory.file("no"))
                    userctl: make that folder, or name another file

                    """)
        }
        #expect(names == ["link"])
    }
}

@Suite struct PortraitTests {
    private func shown(
        _ client: UserdClient, width: Int? = 80, _ method: PictureDrawing.Method = .iterm2
    ) async -> Ended {
        await userctl(["show", "anna"], userd: client, width: width, pictures: PictureDrawing(method))
    }

    @Test func `the picture stands beside the card`() async throws {
        let ended = await shown(try userd(sample))
        let lines = ended.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[0] == "Dr Anna Bergström")
        let left = String(repeating: " ", count: 30)
        #expect(lines[1] == "\(left)Email        anna@example.com")
        #expect(
            lines[13].hasPrefix("  \u{1B}7\u{1B}[12A\u{1B}]1337;File=inline=1;size=82;width=26;height=13;"))
        #expect(lines[13].hasSuffix("\u{1B}[26C  Time zone    UTC+1:00"))
        #expect(lines[16] == "\(left)ID           id-anna")
        #expect(ended.errors == "")
    }

    @Test func `without a terminal there is no picture, and none is asked for`() async throws {
        var client = try userd(sample)
        client.getPictureSoon = UserdClient.untouched.getPictureSoon
        let ended = await shown(client, width: nil)
        #expect(ended.output.hasPrefix("Dr Anna Bergström\n  Email        anna@example.com\n"))
        #expect(ended.code == 0)
    }

    @Test func `a card does not wait for a picture that takes long, nor fail for one that can't be drawn`()
        async throws
    {
        let plain = await shown(try userd(sample), width: nil).output
        var late = try userd(sample)
        late.getPictureSoon = { _ in throw VarlinkClientError.timedOut }
        let placeholder = PictureReply(content: png, contentType: "image/png", placeholder: true)
        for client in [late, try userd(webp), try userd(placeholder)] {
            let ended = await shown(client)
            #expect(ended.output == plain)
            #expect(ended.code == 0)
            #expect(ended.errors == "")
        }
    }

    @Test func `on a narrow terminal it stands above`() async throws {
        let output = await shown(try userd(sample), width: 40).output
        #expect(output.contains("width=26;height=13;"))
        #expect(output.contains("\u{1B}[26C\n  Email        anna@example.com\n"))
    }
}
