import Glibc
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import Cache
@testable import UserctlCommands

/// Red and green above blue and half of white.
private let png =
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAGUlEQVR4nAXBAQ0AAAjAINwsbvILImlH4h4/gAaBNbRWFQAAAABJRU5ErkJggg=="
private let pngFile: [UInt8] = base64Decoded(png)

private func base64Decoded(_ text: String) -> [UInt8] {
    let reply = PictureReply(content: text, contentType: "image/png", placeholder: false)
    return (try? reply.file()) ?? []
}

func pictured(_ reply: PictureReply, of user: User = anna) throws -> UserdClient {
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

let samplePicture = PictureReply(content: png, contentType: "image/png", placeholder: false)
let missingPicture = PictureReply(content: png, contentType: "image/png", placeholder: true)
let webpPicture = PictureReply(content: "UklGRg==", contentType: "image/webp", placeholder: false)

@Suite struct PictureCommandTests {
    @Test func `picture sends the key and the size`() async throws {
        var client = UserdClient.untouched
        let asked = Asked<GetPicture>()
        client.getPicture = try asked.answering(.getPicture, samplePicture)
        _ = await userctl("picture", "anna", "--size", "large", userd: client)
        _ = await userctl("picture", "anna", userd: client)
        #expect(asked.all == [GetPicture(key: "anna", size: .large), GetPicture(key: "anna")])
    }

    @Test func `a terminal gets a picture by its own method`() async throws {
        let client = try pictured(samplePicture)
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
    func `--draw overrides the detected method`(way: String, expected: String) async throws {
        for pictures in [nil, PictureDrawing(.kitty)] {
            let drawn = await userctl(
                ["picture", "anna", "--draw", way], userd: try pictured(samplePicture), width: 80,
                pictures: pictures)
            #expect(drawn.output.contains(expected))
        }
    }

    @Test func `a terminal without pictures is detected`() async throws {
        for arguments in [["picture", "anna"], ["picture", "anna", "--draw", "none"]] {
            let ended = await userctl(
                arguments, userd: .untouched, width: 80,
                pictures: arguments.count > 2 ? PictureDrawing(.kitty) : nil)
            #expect(ended.code == 1)
            #expect(ended.output == "")
            #expect(ended.errors.contains("--output FILE writes it"))
        }
    }

    @Test func `a pipe gets the picture's bytes alone`() async throws {
        for arguments in [["picture", "anna"], ["picture", "anna", "--output", "-"]] {
            let ended = await userctl(arguments, userd: try pictured(samplePicture))
            #expect(ended.bytes == pngFile)
            #expect(ended.code == 0)
        }
    }

    @Test func `a picture's bytes are never written to a terminal`() async throws {
        let ended = await userctl(
            ["picture", "anna", "--output", "-"], userd: .untouched, width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.code == 64)
        #expect(ended.output == "")
        #expect(ended.errors.hasPrefix("userctl: a picture's file can't be written to a terminal\n"))
    }

    @Test func `a placeholder is drawn and announced`() async throws {
        let ended = await userctl(
            ["picture", "anna"], userd: try pictured(missingPicture), width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.code == 0)
        #expect(ended.output.contains("\u{1B}_G"))
        #expect(
            ended.errors == "userctl: the picture is not available at the moment; this is a placeholder\n")
    }

    @Test func `a user without a picture is reported`() async throws {
        var bare = anna
        bare.picture = nil
        let ended = await userctl(
            ["picture", "anna"], userd: try pictured(missingPicture, of: bare), width: 80,
            pictures: PictureDrawing(.kitty))
        #expect(ended.errors == "userctl: this user has no picture; this is a placeholder\n")
    }

    @Test(arguments: [["picture", "anna"], ["picture", "anna", "--output", "-"]])
    func `a pipe gets no placeholder`(arguments: [String]) async throws {
        let ended = await userctl(arguments, userd: try pictured(missingPicture))
        #expect(ended.code == 1)
        #expect(ended.output == "")
        #expect(
            ended.errors == """
                userctl: the picture is not available at the moment; nothing was written
                userctl: try again later; `userctl doctor` may say why

                """)
    }

    @Test func `an unsupported picture is an error, but can be written to a file`() async throws {
        let client = try pictured(webpPicture)
        let drawn = await userctl(
            ["picture", "anna"], userd: client, width: 80, pictures: PictureDrawing(.blocks(.all)))
        #expect(drawn.code == 1)
        #expect(drawn.output == "")
        #expect(
            drawn.errors == """
                userctl: userctl can't draw image/webp, only JPEG and PNG
                userctl: --output FILE writes it to a file instead

                """)
        let written = await userctl(["picture", "anna"], userd: client)
        #expect(written.output == "RIFF")
    }

    @Test func `a picture of another type is named without its escapes`() async throws {
        let reply = PictureReply(content: "AAAA", contentType: "image/\u{1B}[2J", placeholder: false)
        let ended = await userctl(
            ["picture", "anna"], userd: try pictured(reply), width: 80, pictures: PictureDrawing(.kitty))
        #expect(ended.errors.contains(#"image/\u{1B}[2J"#))
    }

    @Test func `without userd the picture comes from the cache`() async throws {
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
        #expect(placeholder.code == 1)
        #expect(placeholder.bytes == [])
        #expect(
            placeholder.errors
                == notRunning + "userctl: this user has no picture; nothing was written\n")
        let card = await userctl(["show", anna.id] + paths, width: 80, pictures: PictureDrawing(.kitty))
        #expect(card.output.contains("\u{1B}_Ga=T,f=32,s=2,v=2,c=26,r=13,"))
    }
}

@Suite struct PortraitTests {
    private func shown(
        _ client: UserdClient, width: Int? = 80, _ method: PictureDrawing.Method = .iterm2
    ) async -> Ended {
        await userctl(["show", "anna"], userd: client, width: width, pictures: PictureDrawing(method))
    }

    @Test func `the picture stands beside the card`() async throws {
        let ended = await shown(try pictured(samplePicture))
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

    @Test func `without a terminal no picture is requested`() async throws {
        var client = try pictured(samplePicture)
        client.getPictureSoon = UserdClient.untouched.getPictureSoon
        let ended = await shown(client, width: nil)
        #expect(ended.output.hasPrefix("Dr Anna Bergström\n  Email        anna@example.com\n"))
        #expect(ended.code == 0)
    }

    @Test func `a card is shown without a picture that is slow or can't be drawn`()
        async throws
    {
        let plain = await shown(try pictured(samplePicture), width: nil).output
        var late = try pictured(samplePicture)
        late.getPictureSoon = { _ in throw VarlinkClientError.timedOut }
        for client in [late, try pictured(webpPicture), try pictured(missingPicture)] {
            let ended = await shown(client)
            #expect(ended.output == plain)
            #expect(ended.code == 0)
            #expect(ended.errors == "")
        }
    }

    @Test func `on a narrow terminal the picture is above the card`() async throws {
        let output = await shown(try pictured(samplePicture), width: 40).output
        #expect(output.contains("width=26;height=13;"))
        #expect(output.contains("\u{1B}[26C\n  Email        anna@example.com\n"))
    }
}
