import CSystemd
import Foundation
import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

private let service = "org.freedesktop.Notifications"
private let object = "/org/freedesktop/Notifications"
private let english = DesktopWords.words([:])

@Suite("The notification", .timeLimit(.hang)) struct NotificationDisplayTests {
    /// The signals that follow each notification.
    enum Answer: Sendable {
        case nothing, chosen, closed
        /// Another program says that it was chosen, before it is closed.
        case forged
        /// The program that shows it gives up its name.
        case gone
    }

    @Test func `It is shown with its words, and closed when the reason has passed`() async throws {
        let (end, seen) = try await answering(.nothing) { address in
            try await onThread { try show(address, looks: 3) }
        }
        #expect(end == .over)
        #expect(seen == ["userd", english.signInTitle, english.signInBody, "closed 7"])
    }

    @Test(
        "The program that shows it says how it ends, and no other",
        arguments: [
            (.chosen, .chosen, true), (.closed, .closed, false), (.forged, .closed, false),
            (.gone, .over, true),
        ] as [(Answer, NotificationDisplay.End, Bool)])
    func ends(answer: Answer, end: NotificationDisplay.End, isClosedByUserctl: Bool) async throws {
        let (found, seen) = try await answering(answer) { address in
            try await onThread { try show(address, looks: .max) }
        }
        #expect(found == end)
        let closed = isClosedByUserctl ? ["closed 7"] : []
        #expect(Array(seen.dropFirst(3)) == closed)
    }

    @Test func `Without a mark or a session, nothing is shown or said`() async throws {
        let folder = try TemporaryDirectory()
        var environment = session(folder, "")
        environment["DBUS_SESSION_BUS_ADDRESS"] = nil
        for mark in ["", #"{"kind":"signIn","id":"1"}"#] {
            try writeAtomically(Array(mark.utf8), to: folder.file("attention"))
            try await notify(environment)
        }
    }

    @Test func `Each mark is shown once, and none with notifications: false`() async throws {
        let folder = try TemporaryDirectory()
        try makePrivateFolder(folder.file("off/userd"))
        try writeAtomically(Array("notifications: false\n".utf8), to: folder.file("off/userd/config.yaml"))
        let (_, seen) = try await answering(.closed) { address in
            let on = session(folder, address)
            let off = on.merging(["XDG_CONFIG_HOME": folder.file("off")]) { $1 }
            let marks: [(Attention.Kind, String)] = [(.signIn, "1"), (.secret, "2")]
            for (kind, id) in marks {
                try mark(folder, kind, id)
                for settings in [off, on, on] { try await notify(settings) }
            }
        }
        let signIn = ["userd", english.signInTitle, english.signInBody]
        #expect(seen == signIn + ["userd", english.secretTitle, english.secretBody])
    }

    @Test func `The action signs in, in a terminal, also if the mark can't be remembered`() async throws {
        let folder = try TemporaryDirectory()
        let script = #"printf '#!/bin/sh\necho "$*" >"%s"\n' "$0/log" >"$0/xterm" && chmod 755 "$0/xterm""#
        let made = try await run(
            "/bin/sh", ["-c", script, folder.path], environment: ["PATH": "/usr/bin:/bin"])
        try #require(made.code == 0)
        let (started, seen) = try await answering(.chosen) { address in
            try mark(folder, .signIn, "1")
            let more = ["PATH": folder.path, "XDG_STATE_HOME": folder.file("xterm/not-a-folder")]
            try await notify(session(folder, address).merging(more) { $1 })
            let log = folder.file("log")
            func logged() -> String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
            try await wait { logged().hasSuffix("\n") }
            return logged()
        }
        #expect(started.hasPrefix("-e /") && started.hasSuffix(" desktop window sign-in\n"), "\(started)")
        #expect(Array(seen.dropFirst(3)) == ["closed 7"])
    }

    @Test func `It is closed when its service is stopped`() async throws {
        let folder = try TemporaryDirectory()
        let (end, seen) = try await answering(.nothing) { address in
            try mark(folder, .signIn, "1")
            let process = try ChildProcess(
                Program.userctl.path, ["desktop", "notify"], environment: session(folder, address))
            // Written when it is shown.
            let shown = folder.file("home/.local/state/userctl/notified")
            try await wait { FileManager.default.fileExists(atPath: shown) }
            process.send(SIGTERM)
            return try await process.ended()
        }
        #expect(end == .exited(0))
        #expect(seen.last == "closed 7")
    }
}

/// A session whose person has no folder for states yet.
private func session(_ folder: TemporaryDirectory, _ address: String) -> [String: String] {
    [
        "USERD_DATABASE": folder.file("userd.db"), "USERD_SOCKET": "/s", "DBUS_SESSION_BUS_ADDRESS": address,
        "XDG_STATE_HOME": folder.file("home/.local/state"),
    ]
}

/// Leaves userd's mark.
private func mark(_ folder: TemporaryDirectory, _ kind: Attention.Kind, _ id: String) throws {
    let text = #"{"kind":"\#(kind.rawValue)","id":"\#(id)"}"#
    try writeAtomically(Array(text.utf8), to: folder.file("attention"))
}

/// Runs the command, on a thread that it may block.
private func notify(_ environment: [String: String]) async throws {
    let ended = Mutex<Ended?>(nil)
    try await onThread {
        ThreadExecutor.runHere {
            let result = await userctl("desktop", "notify", environment: environment)
            ended.withLock { $0 = result }
        }
    }
    let result = ended.withLock { $0 }
    #expect(result?.code == 0)
    #expect(result?.output == "" && result?.errors == "")
}

/// Shows a notification whose reason has passed after so many looks at it.
private func show(_ address: String, looks: Int) throws -> NotificationDisplay.End {
    let display = try NotificationDisplay(SessionBus(address: address))
    try display.show(.signIn, english)
    var left = looks
    return try display.untilEnd(within: .seconds(6000), step: .milliseconds(1)) {
        left -= 1
        return left > 0
    }
}

// MARK: - The program that shows them

/// The body's result on a bus whose desktop shows notifications, and the texts that it showed and closed.
private func answering<T: Sendable>(
    _ answer: NotificationDisplayTests.Answer, _ body: (_ address: String) async throws -> T
) async throws -> (T, [String]) {
    let bus = try await PrivateBus()
    let address = bus.address
    let seen = Mutex<[String]>([])
    async let served: Void = onThread {
        ThreadExecutor.runHere {
            // The bus ends before the service does.
            try? await serveNotifications(address, answer) { text in seen.withLock { $0.append(text) } }
        }
    }
    let result: Result<T, any Error>
    do {
        try await onThread {
            let connection = try SessionBus(address: address)
            while connection.owner(of: service) == nil {
                try connection.handleAll()
                try connection.wait(.milliseconds(5))
            }
        }
        result = .success(try await body(address))
    } catch {
        result = .failure(error)
    }
    bus.end()
    try await served
    return (try result.get(), seen.withLock { $0 })
}

/// Answers as a desktop's notifications do.
private func serveNotifications(
    _ address: String, _ answer: NotificationDisplayTests.Answer, _ see: @escaping @Sendable (String) -> Void
) async throws {
    let bus = try SessionBus(address: address)
    try bus.export(object) { [unowned bus] call in
        switch call.member {
        case "Notify":
            see(try call.string())
            _ = try call.number()
            _ = try call.string()
            see(try call.string())
            see(try call.string())
            try call.reply { try $0.append("u", UInt32(7)) }
            try bus.carryOut(answer, call.sender, address)
        case "CloseNotification":
            see("closed \(try call.number())")
            try call.reply()
        default: return false
        }
        return true
    }
    try bus.request(name: service)
    try await bus.handle(untilIdleFor: .seconds(6000)) { true }
}

extension SessionBus {
    fileprivate func carryOut(
        _ answer: NotificationDisplayTests.Answer, _ receiver: String, _ address: String
    ) throws {
        switch answer {
        case .nothing: break
        case .chosen: try tell("ActionInvoked", receiver)
        case .closed: try tell("NotificationClosed", receiver)
        case .forged:
            let other = try SessionBus(address: address)
            try other.tell("ActionInvoked", receiver)
            // Answered after the signal was passed on.
            _ = other.owner(of: service)
            try tell("NotificationClosed", receiver)
        case .gone: try release(name: service)
        }
    }

    /// Sends a signal about notification 7 to one program.
    private func tell(_ member: String, _ receiver: String) throws {
        var made: OpaquePointer?
        try checkedBus(libsystemd.sd_bus_message_new_signal(bus, &made, object, service, member))
        let message = try BusMessage(owned: made)
        try message.append("u", UInt32(7))
        if member == "ActionInvoked" {
            try message.append("default")
        } else {
            // Closed by the person.
            try message.append("u", UInt32(2))
        }
        try checkedBus(libsystemd.sd_bus_send_to(bus, message.pointer, receiver, nil))
    }
}
