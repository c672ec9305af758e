import Synchronization
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

private let service = "org.freedesktop.Notifications"

@Suite("The notification", .timeLimit(.hang)) struct NotificationDisplayTests {
    @Test func `It is shown with its words, and closed when the reason has passed`() async throws {
        let bus = try await PrivateBus()
        let seen = Mutex<[String]>([])
        async let served: Void = onThread {
            ThreadExecutor.runHere {
                // The bus ends before the service does.
                try? await serveNotifications(SessionBus(address: bus.address)) { text in
                    seen.withLock { $0.append(text) }
                }
            }
        }
        let end: Result<NotificationDisplay.End, any Error>
        do { end = .success(try await onThread { try showOnce(bus) }) } catch { end = .failure(error) }
        bus.end()
        try await served
        #expect(try end.get() == .over)
        let words = DesktopWords.words([:])
        #expect(seen.withLock { $0 } == ["userd", words.signInTitle, words.signInBody, "closed 7"])
    }

    @Test func `Without a mark, a session or the person's consent, nothing is shown or said`() async throws {
        let folder = try TemporaryDirectory()
        let environment = ["USERD_DATABASE": folder.file("userd.db"), "USERD_SOCKET": "/s"]
        for mark in ["", #"{"kind":"signIn","id":"1"}"#] {
            let made = try await run(
                "/bin/sh", ["-c", #"printf %s "$1" >"$0""#, folder.file("attention"), mark],
                environment: [:])
            try #require(made.code == 0)
            let ended = await userctl("desktop", "notify", environment: environment)
            #expect(ended.code == 0)
            #expect(ended.output + ended.errors == "")
        }
    }
}

/// Shows a notification whose reason has passed at the third look.
private func showOnce(_ bus: PrivateBus) throws -> NotificationDisplay.End {
    let connection = try SessionBus(address: bus.address)
    while connection.owner(of: service) == nil {
        try connection.handleAll()
        try connection.wait(.milliseconds(5))
    }
    let display = try NotificationDisplay(connection)
    try display.show(.signIn, .words([:]))
    var looks = 0
    return try display.untilEnd(within: .seconds(6000), step: .milliseconds(1)) {
        looks += 1
        return looks < 3
    }
}

/// Answers as a desktop's notifications do.
private func serveNotifications(_ bus: SessionBus, _ see: @escaping @Sendable (String) -> Void) async throws {
    try bus.export("/org/freedesktop/Notifications") { call in
        switch call.member {
        case "Notify":
            see(try call.string())
            _ = try call.number()
            _ = try call.string()
            see(try call.string())
            see(try call.string())
            try call.reply { try $0.append("u", UInt32(7)) }
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
