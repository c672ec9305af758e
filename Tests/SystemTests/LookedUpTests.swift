import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import UserctlCommands

@Suite("Who looked at whom", .timeLimit(.hang))
struct LookedUpTests {
    private static let canary = "Xanthippe"

    @Test("Nothing that is looked up is in the log at any level, in the cache's files or in a recording")
    func lookedUp() async throws {
        try await onMachine { machine in
            let record = machine.file("a.har")
            let userd = try await machine.startUserd(
                ["record": record, "log_level": "trace", "paused": "true"])
            #expect(try await machine.sync(.users).phase == .loaded)
            let words = Self.canary
            for command in [
                ["search", words], ["search", words, "--output", "json"], ["show", words], ["team", words],
                ["org", words, "--up"], ["list", "--manager", words], ["list", "--department", words],
                ["picture", words, "--output", machine.file("p.png")], ["search", words, "--kind", "all"],
            ] {
                let ended = try await machine.userctl(command)
                #expect(ended.code == 1, "\(command): \(ended)")
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let log = userd.bytes(.errors)
            let files = [record] + ["", "-wal"].map { machine.database + $0 }
            let texts = [log] + files.compactMap { FileManager.default.contents(atPath: $0).map(Array.init) }
            #expect(texts.count >= 3 && String(decoding: log, as: UTF8.self).contains(" debug userd"))
            #expect(!texts.contains(where: Self.isIn))
        }
    }

    @Test("Nothing that is typed in the desktop's search is in a file, in its output or in userd's log")
    func typed() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["log_level": "trace", "paused": "true"])
            try await machine.servePeople()
            let bus = try await PrivateBus()
            let search = try machine.start(
                .userctl, ["desktop", "search"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            let texts = ["ann", Self.canary]
            let found = try await onThread {
                let desktop = try SessionBus(address: bus.address)
                try desktop.request(name: "org.gnome.Shell")
                while desktop.owner(of: DesktopSearch.name) == nil {
                    try desktop.handleAll()
                    try desktop.wait(.milliseconds(5))
                }
                return try texts.map { text in
                    try desktop.call(
                        DesktopSearch.name, DesktopSearch.path, "org.gnome.Shell.SearchProvider2",
                        "GetInitialResultSet", within: .seconds(600)
                    ) { try $0.append([text]) }.strings()
                }
            }
            #expect(found == [["id-Anna"], []])
            for process in [search, userd] { process.send(SIGTERM) }
            try await search.ended()
            #expect(try await userd.ended() == .exited(0))
            let names = try #require(FileManager.default.enumerator(atPath: machine.file("")))
            let files = names.compactMap { name in
                (name as? String).flatMap { FileManager.default.contents(atPath: machine.file($0)) }
            }
            #expect(files.count >= 2)
            let outputs = [search, userd].flatMap { [$0.bytes(.output), $0.bytes(.errors)] }
            #expect(!(files.map(Array.init) + outputs).contains(where: Self.isIn))
        }
    }

    private static func isIn(_ text: [UInt8]) -> Bool {
        String(decoding: text, as: UTF8.self).lowercased().contains(canary.lowercased())
    }
}
