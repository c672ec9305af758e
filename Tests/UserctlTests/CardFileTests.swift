import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("The files of saved vCards")
struct CardFileTests {
    private static func user(_ first: String, _ last: String, username: String? = "keller1") -> User {
        User(id: "id-1", name: .init(title: "Dr", first: first, last: last)) { $0.username = username }
    }

    @Test(
        "A file is named after the person, and its name is safe",
        arguments: [
            (user("Anna", "Keller"), "Anna Keller.vcf"), (user("伟", "王"), "王 伟.vcf"),
            (user("Åsa", "Łukasz"), "Åsa Łukasz.vcf"),
            (user("../..", "/etc/passwd"), "_._.. _etc_passwd.vcf"),
            (user(".Anna", ""), "_Anna.vcf"), (user("-rf", "x"), "_rf x.vcf"),
            (user("A\u{1B}[2J\u{202E}", "B\n\tC\u{7}"), "A_[2J_ B C_.vcf"),
            (user("", ""), "keller1.vcf"), (user(" ", "", username: nil), "id-1.vcf"),
        ])
    func names(user: User, expected: String) {
        #expect(cardFileName(of: user) == expected)
    }

    @Test("A file's name has at most 200 bytes, with its number and ending", arguments: [1, 2, 1000])
    func length(number: Int) {
        for letter in ["x", "ä", "王", "👩‍👩‍👧‍👦"] {
            let user = Self.user(String(repeating: letter, count: 500), "")
            let name = cardFileName(of: user, number: number)
            #expect((190...200).contains(name.utf8.count))
            #expect(name.hasSuffix(number == 1 ? ".vcf" : " (\(number)).vcf"))
        }
    }

    @Test("A card is saved in the folder under a free name, and the message has the path")
    func saving() async throws {
        let folder = try TemporaryDirectory()
        let cache = try await CacheFile(users: [anna])
        let console = Console(
            environment: [:], clock: clock, sleep: { _ in }, output: .init(send: { _ in }),
            errors: .init(send: { _ in }))
        let connection = Paths(socket: "/nonexistent/userd.sock", database: cache.path).connection(console)
        let clipboard = Clipboard.live([:])
        // A link that leads nowhere takes a name, too.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("Anna Bergström (2).vcf"), withDestinationPath: folder.file("elsewhere"))
        for name in ["Anna Bergström.vcf", "Anna Bergström (3).vcf"] {
            let message = try Browser.Action.save(anna).carryOut(connection, clipboard, in: folder.path)
            #expect(message == "saved \(folder.file(name))")
            let card = try String(contentsOfFile: folder.file(name), encoding: .utf8)
            #expect(card.hasPrefix("BEGIN:VCARD\r\n") && card.contains("FN:Dr Anna Bergström"))
        }
        #expect(access(folder.file("elsewhere"), F_OK) != 0)
    }

    @Test("A folder that can't be written to is reported")
    func unwritable() async throws {
        let cache = try await CacheFile(users: [anna])
        let console = Console(
            environment: [:], clock: clock, sleep: { _ in }, output: .init(send: { _ in }),
            errors: .init(send: { _ in }))
        let connection = Paths(socket: "/nonexistent/userd.sock", database: cache.path).connection(console)
        #expect(throws: CommandError.self) {
            try Browser.Action.save(anna).carryOut(connection, Clipboard.live([:]), in: "/nonexistent/folder")
        }
    }
}
