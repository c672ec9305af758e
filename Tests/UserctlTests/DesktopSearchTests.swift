import CSystemd
import Model
import Synchronization
import TestSupport
import Testing

@testable import UserctlCommands

private let ann = User(id: "1", name: .init(first: "Ann", last: "Example")) {
    $0.email = "ann@corp.example"
    $0.phone = "+49 30 1234"
    $0.jobTitle = "Head of Sales"
    $0.department = "Sales"
}
private let silent = User(id: "2", name: .init(first: "Annika", last: "Muster"))

/// Asks the search over a bus, as GNOME Shell and KRunner do.
@Suite("Search in the desktop", .timeLimit(.hang)) struct DesktopSearchTests {
    /// The body's result, and what was done.
    /// - Parameters:
    ///   - name: the one that the asking program owns.
    ///   - people: found by any text but `nobody`.
    private func asking<T: Sendable>(
        as name: String? = "org.gnome.Shell", people: [User] = [ann, silent],
        _ body: @escaping @Sendable (Asker) throws -> T
    ) async throws -> (T, [DesktopDeed]) {
        let bus = try await PrivateBus()
        let deeds = Mutex<[DesktopDeed]>([])
        let needs = DesktopSearch.Needs(
            find: { $0 == "nobody" ? [] : people }, person: { id in people.first { $0.id == id } },
            act: { deed in deeds.withLock { $0.append(deed) } })
        async let served: Void = onThread { serve(needs, bus, idle: .seconds(6000)) }
        let result: Result<T, any Error>
        do {
            result = .success(try await onThread { try body(Asker(bus, name)) })
        } catch {
            result = .failure(error)
        }
        bus.end()
        try await served
        return (try result.get(), deeds.withLock { $0 })
    }

    @Test func `GNOME gets ids, and a description of each id, also of one that is gone`() async throws {
        let ((ids, again, metas), deeds) = try await asking { asker in
            let ids = try asker.gnome("GetInitialResultSet") { try $0.append(["ann"]) }.strings()
            let again = try asker.gnome("GetSubsearchResultSet") {
                try $0.append([String]())
                try $0.append(["ann", "ex"])
            }.strings()
            let metas = try asker.gnome("GetResultMetas") { try $0.append(["2", "gone", "1"]) }.metas()
            return (ids, again, metas)
        }
        #expect(ids == ["1", "2"])
        #expect(again == ids)
        #expect(metas.map { $0["id"] } == [["2"], ["gone"], ["1"]])
        #expect(metas.map { $0["name"] } == [["Annika Muster"], ["People (userd)"], ["Ann Example"]])
        #expect(metas.map { $0["description"] } == [[""], [""], ["Head of Sales · Sales"]])
        #expect(metas.allSatisfy { $0["gicon"] == ["x-office-address-book"] && $0.count == 4 })
        #expect(deeds == [])
    }

    @Test func `KRunner gets rows of the lowest kind, with the actions that a person has`() async throws {
        let ((rows, none, actions), _) = try await asking(as: "org.kde.krunner") { asker in
            (
                try asker.rows("ann"), try asker.rows("nobody"), try asker.krunner("Actions").triples()
            )
        }
        let icon = "x-office-address-book"
        #expect(rows.map(\.texts) == [["1", "Ann Example", icon], ["2", "Annika Muster", icon]])
        #expect(rows.map(\.kind) == [1, 1])
        #expect(rows.map(\.relevance) == [0.3, 0.29])
        #expect(rows.map { $0.members["actions"] } == [["mail", "call", "copy"], []])
        #expect(rows.first?.members["subtext"] == ["Head of Sales · Sales"])
        #expect(none == [])
        #expect(
            actions == [
                ["mail", "Write a mail", "mail-message-new"], ["call", "Call", "call-start"],
                ["copy", "Copy the address", "edit-copy"],
            ])
    }

    @Test func `Enter opens the card, other actions need what the person has`() async throws {
        let hostile = "--x '\";rm -rf ~\u{1B}[2J\u{202E}"
        let (_, deeds) = try await asking(as: "org.kde.plasmashell") { asker in
            try asker.gnome("ActivateResult") {
                try $0.append(hostile)
                try $0.append(["ann"])
                try $0.append("u", UInt32(0))
            }
            try asker.gnome("LaunchSearch") {
                try $0.append(["ann", "ex"])
                try $0.append("u", UInt32(0))
            }
            for (id, action) in [
                ("1", ""), ("1", "mail"), ("1", "call"), ("1", "copy"), ("1", "other"), ("2", "mail"),
                ("3", "call"),
            ] {
                try asker.krunner("Run") {
                    try $0.append(id)
                    try $0.append(action)
                }
                // Answered after what an action needs was looked up.
                _ = try asker.rows("nobody")
            }
        }
        let mail = try #require(ActionAddress.mail(to: "ann@corp.example"))
        let call = try ActionTemplate("tel:{phone}").address { _ in "+49 30 1234" }
        #expect(
            deeds == [
                .card(id: hostile), .search(words: ["ann", "ex"]), .card(id: "1"), .open(mail), .open(call),
                .copy("ann@corp.example"),
            ])
    }

    @Test(arguments: [nil, "org.example.Other"])
    func `Only the desktop is answered`(name: String?) async throws {
        let (failures, deeds) = try await asking(as: name) { asker in
            [
                try asker.failure { try $0.gnome("GetInitialResultSet") { try $0.append(["ann"]) } },
                try asker.failure { try $0.gnome("GetResultMetas") { try $0.append(["1"]) } },
                try asker.failure { try $0.krunner("Match") { try $0.append("ann") } },
                try asker.failure { try $0.krunner("Run") { try $0.append("1") } },
                try asker.failure { try $0.krunner("Actions") },
                try asker.failure { try $0.krunner("Teardown") },
            ]
        }
        #expect(Set(failures) == ["org.freedesktop.DBus.Error.AccessDenied"])
        #expect(deeds == [])
    }

    @Test func `Wrong arguments and unknown methods get errors, and the search goes on`() async throws {
        let ((failures, rows), deeds) = try await asking { asker in
            let failures = [
                try asker.failure { try $0.gnome("GetInitialResultSet") { try $0.append("ann") } },
                try asker.failure { try $0.gnome("GetSubsearchResultSet") { try $0.append(["ann"]) } },
                try asker.failure { try $0.gnome("ActivateResult") { try $0.append("1") } },
                try asker.failure { try $0.krunner("Match") },
                try asker.failure { try $0.krunner("Run") { try $0.append("u", UInt32(1)) } },
                try asker.failure { try $0.krunner("List") }, try asker.failure { try $0.gnome("Match") },
            ]
            return (failures, try asker.rows("ann"))
        }
        let (wrong, unknown) = (
            "org.freedesktop.DBus.Error.InvalidArgs", "org.freedesktop.DBus.Error.UnknownMethod"
        )
        #expect(failures == [wrong, wrong, wrong, wrong, wrong, unknown, unknown])
        #expect(rows.count == 2)
        #expect(deeds == [])
    }

    @Test func `Hostile names are short, harmless text`() async throws {
        let hostile = "<b>\u{1B}[2J\u{202E}\n&</b>"
        let people = [
            User(id: "1", name: .init(first: hostile, last: "")) { $0.department = hostile },
            User(id: "2", name: .init(first: String(repeating: "a", count: 10_000), last: "")),
            User(id: "3", name: .init(first: String(repeating: "\u{202E}", count: 100), last: "")),
            User(id: "4", name: .init(first: "\u{200B}", last: "")) { $0.email = "ann|sh\n" },
            User(id: "\0", name: .init(first: "No", last: "Id")),
            // D-Bus refuses texts with such a character.
            User(id: "\u{FFFE}", name: .init(first: "No", last: "Id")),
        ]
        let (rows, _) = try await asking(people: people) { try $0.rows("ann") }
        #expect(rows.map { $0.texts[0] } == ["1", "2", "3", "4"])
        #expect(rows.allSatisfy { !$0.texts[1].isEmpty && $0.members["actions"] == [] })
        for text in rows.flatMap({ $0.texts + ($0.members["subtext"] ?? []) }) {
            #expect(text == text.sanitised && !text.contains("<") && text.count <= 100)
        }
        #expect(rows.first?.texts[1].hasPrefix("‹b›") == true)
    }

    @Test(
        "A query is overtaken by the next one, unless that is its beginning",
        arguments: [
            ("an", "ann", true), ("ann", "an", false), ("ann", "ann", false), ("ann", "bob", true),
        ])
    func overtaken(text: String, next: String, expected: Bool) {
        #expect(DesktopSearch.isOvertaken(text, by: next) == expected)
    }

    @Test func `What is overtaken before its turn is not searched`() async throws {
        let bus = try await PrivateBus()
        let searched = Mutex<[String]>([])
        let needs = DesktopSearch.Needs(
            find: { text in
                searched.withLock { $0.append(text) }
                return []
            }, person: { _ in nil }, act: { _ in })
        try await onThread {
            ThreadExecutor.runHere {
                do {
                    let server = try SessionBus(address: bus.address)
                    try server.request(name: "org.example.Search")
                    let desktop = try SessionBus(address: bus.address)
                    try desktop.request(name: "org.kde.krunner")
                    for text in ["ann", "bob", "bo"] {
                        try desktop.send("Match", text, to: "org.example.Search")
                    }
                    // When this has an answer, the bus has passed on what was sent before.
                    _ = desktop.owner(of: DesktopSearch.name)
                    try await DesktopSearch(needs, .words([:])).serve(server, idle: .milliseconds(20))
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(searched.withLock { $0 } == ["bob", "bo"])
    }

    @Test func `Without calls, the search ends`() async throws {
        let bus = try await PrivateBus()
        let needs = DesktopSearch.Needs(find: { _ in [] }, person: { _ in nil }, act: { _ in })
        try await onThread { serve(needs, bus, idle: .milliseconds(20)) }
        let isOwned = try await onThread {
            try SessionBus(address: bus.address).owner(of: DesktopSearch.name) != nil
        }
        #expect(!isOwned)
    }
}

/// Blocks until the search ends, or the bus.
private func serve(_ needs: DesktopSearch.Needs, _ bus: PrivateBus, idle: Duration) {
    ThreadExecutor.runHere {
        // The bus ends before the search does.
        try? await DesktopSearch(needs, .words([:])).serve(SessionBus(address: bus.address), idle: idle)
    }
}

extension SessionBus {
    /// Asks KRunner's question without waiting for the answer.
    fileprivate func send(_ member: String, _ text: String, to destination: String) throws {
        var made: OpaquePointer?
        try checkedBus(
            libsystemd.sd_bus_message_new_method_call(
                bus, &made, destination, DesktopSearch.path, "org.kde.krunner1", member))
        let call = try BusMessage(owned: made)
        try call.append(text)
        try checkedBus(libsystemd.sd_bus_send(bus, call.pointer, nil))
    }
}
