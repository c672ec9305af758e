import Foundation
import Model
import TestSupport
import Testing

@testable import Cache

@Suite("Output formats of lists", .timeLimit(.hang))
struct FormatTests {
    static let formats = ["json", "ndjson", "csv", "vcard", "mutt"]

    @Test(
        "All formats agree on each of many odd users, as other programs read them, in constant memory"
    )
    func agreement() async throws {
        let cached = try await CacheOnDisk()
        let users = User.samples + OddUsers.list(Volume.listedUsers - User.samples.count)
        try await cached.sync(users)
        let url = try #require(User.samples[0].picture?.large)
        let content = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        try await cached.cache.pictures.keep(
            FoundPicture(
                userID: User.samples[0].id, size: .large, url: url,
                picture: FetchedPicture(content: content, contentType: "image/png")), nil, .max)
        await cached.cache.close()

        let photo = "data:image/png;base64," + Data(content).base64EncodedString()
        let result = try await run(
            VarlinkClients.python,
            [
                VarlinkClients.program("agree.py"), Program.userctl.path, cached.path, cached.directory.path,
                url, photo,
            ],
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"], within: .seconds(600))
        #expect(result.code == 0, "\(result.errors.suffix(3000))")
        let words = result.output.split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(words.count == 2)
        #expect(words[0] == Volume.listedUsers)
        // As much as for a hundred users: a page and the program itself. A sanitizer keeps shadows of both.
        #expect(words[1] < (isSanitized ? 256 : 64) << 10)
        print("\(Volume.listedUsers) users in each format: memory at most \(words[1] >> 10) MiB")
    }

    @Test("When the reader of any format closes the pipe, userctl ends silently", arguments: formats)
    func closedPipe(format: String) async throws {
        let cached = try await CacheOnDisk()
        // More than a pipe's buffer holds.
        try await cached.sync(OddUsers.list(5000))
        await cached.cache.close()
        let script = """
            "$0" list --all --output \(format) --socket /nonexistent/s --database "$1" | head -c 1 > /dev/null
            echo "${PIPESTATUS[0]}"
            """
        let result = try await run(
            "/bin/bash", ["-c", script, Program.userctl.path, cached.path],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.output == "\(128 + SIGPIPE)\n")
        #expect(result.errors == "")
    }
}

/// Users with many missing fields, and with texts that are hard to write or read in some format.
enum OddUsers {
    private static let texts = [
        "Anna", "Ng", "Şükrü", "花子", "آدرینا", "e\u{301}", "👩‍👩‍👧", "O'Brien", "a,b", "a;b", "a\\nb\\",
        "\"quoted\"",
        "\"", "two\nlines", "two\r\nlines", "cr\rcr", "tab\ttab", "\u{1B}[31mred\u{1}", "\u{7F}\u{9B}1m",
        "\u{202E}reversed", "a\u{85}b\u{2028}c\u{2029}d", "\u{FEFF}bom\u{200B}", " blanks ", "=1+1", "+49 30",
        "-1", "@SUM(A1)", "", "null", "NULL", "true", "0012", "END:VCARD", "x\r\nEND:VCARD\r\nNOTE:x",
        "a\u{A0}b",
        "=?utf-8?q?x?=", "<a@b>", "\u{E000}\u{FFFD}\u{10FFFF}", String(repeating: "long 王 ", count: 40),
    ]

    static func list(_ count: Int) -> [User] {
        var random = SeededRandom(seed: 5)
        return (0..<count).map { user($0, &random) }
    }

    private static func user(_ number: Int, _ random: inout SeededRandom) -> User {
        func one<T>(_ value: @autoclosure () -> T) -> T? {
            Int.random(in: 0..<6, using: &random) == 0 ? value() : nil
        }
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        func degrees(_ limit: Double) -> Double {
            (Double.random(in: -limit...limit, using: &random) * 10_000).rounded() / 10_000
        }
        let place = one((degrees(90), degrees(180)))
        return User(id: "odd-\(number)", name: User.Name(title: one(text()), first: text(), last: text())) {
            $0.username = one(text())
            $0.gender = one(text())
            $0.email = Bool.random(using: &random) ? "odd\(number)@example.com" : one(text())
            $0.phone = one(text())
            $0.cell = one(text())
            $0.bornAt = one(
                Timestamp(milliseconds: .random(in: -2_000_000_000_000...1_000_000_000_000, using: &random)))
            $0.age = one(.random(in: 0..<120, using: &random))
            $0.registeredAt = one(Timestamp(milliseconds: .random(in: 0...1_700_000_000_000, using: &random)))
            $0.nationality = one(text())
            $0.address = User.Address {
                ($0.street, $0.city) = (one(text()), one(text()))
                ($0.state, $0.postcode, $0.country) = (one(text()), one(text()), one(text()))
                ($0.latitude, $0.longitude, $0.utcOffset) = (
                    place?.0, place?.1, one(["+9:30", "-11:00", "0:00"].randomElement(using: &random) ?? "")
                )
            }
            $0.picture = one(User.Picture(large: one("https://pictures.example/\(number).jpg")))
        }
    }
}
