import Cache
import Foundation
import Model
import Synchronization
import TerminalViews
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import UserctlCommands

/// Tests how userctl finds a running userd and its files.
@Suite(.timeLimit(.hang)) struct RunningUserdTests {
    private func manager(ofProcess id: Int32) -> DoctorProbes {
        FakeManager { $0.units["userd.service"]?["MainPID"] = "\(id)" }.probes
    }

    @Test func `behind a socket of systemd, userd's process is the one that the service manager names`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let program = directory.file("userd")
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
        let userd = try ChildProcess(program, ["600"], environment: ["record": "a.har"])
        defer { userd.send(SIGKILL) }
        try await wait { DaemonProcess.serving(nil, manager(ofProcess: userd.id)) != nil }
        let found = try #require(DaemonProcess.serving(directory.file("s"), manager(ofProcess: userd.id)))
        #expect(found.start != nil)
        // A program of another name, and no program.
        #expect(DaemonProcess.serving(nil, manager(ofProcess: getpid())) == nil)
        #expect(DaemonProcess.serving(nil, manager(ofProcess: 0)) == nil)
    }

    @Test func `without userd a report says why it has no settings`() {
        let collector = ReportCollector(FakeManager().probes, nil)
        #expect(collector.settings == nil)
        #expect(collector.complaint == "userd is neither in this userctl's folder nor in PATH")
        #expect(collector.recording == nil)
        #expect(!collector.renewed("/a.har"))
    }

    @Test func `a userd that can't be run is named with the reason`() {
        var probes = FakeManager { $0.programs = ["userd"] }.probes
        probes.run = { _, _, _, _ in throw CommandError("killed", .failed) }
        let collector = ReportCollector(probes, nil)
        #expect(collector.settings == nil)
        #expect(collector.complaint.hasPrefix("/bin/userd: ") && collector.complaint.contains("killed"))
    }

    @Test func `a log that can't be read is named with the reason`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("missing.log")
        let collector = ReportCollector(FakeManager().probes, nil)
        let error = #expect(throws: CommandError.self) { try collector.log(path) }
        #expect(error?.message == "\(path) cannot be read: No such file or directory")
        #expect(error?.status == .usage)
    }

    @Test(
        arguments: [
            (.blank, "it is still empty", "it fetches everything"),
            (
                .older(schema: 3, known: 5), "it has schema 3, which is older than this version's 5",
                "it migrates the cache"
            ),
        ] as [(CacheExamination, String, String)])
    func `a cache that the next start of userd mends is a warning`(
        examination: CacheExamination, found: String, effect: String
    ) async throws {
        let file = FileFact.found(.file, owner: 1000, mode: 0o600)
        let facts = CacheFacts(path: "/c/u.db", file: file, examination: examination, user: 1000)
        let checks = await cacheChecks(facts)
        let check = try #require(checks.first { $0.name == "cache.content" })
        #expect(check.status == .warning)
        #expect(check.found == found)
        #expect(check.advice.last?.hasSuffix(effect) == true)
    }

    @Test func `a picture that is not base64 is an invalid reply`() {
        let reply = PictureReply(content: "no base64!", contentType: "image/png", placeholder: false)
        #expect(throws: InvalidReply(method: "io.userd.GetPicture", reason: "content is not base64")) {
            try reply.file()
        }
    }

    @Test func `a picture that is slow is left out, and userd is asked for the rest as before`() async throws
    {
        let cache = try await CacheFile(users: [anna])
        var userd = UserdClient.untouched
        userd.getPictureSoon = { _ in throw VarlinkClientError.timedOut }
        let connection = UserdOrCache(client: userd, database: cache.path, clock: clock)
        let output = Console.Output(width: 80, send: { _ in })
        #expect(await connection.portrait(of: "x", PictureDrawing(.blocks(.all)), on: output) == nil)
        #expect(connection.source == .daemon)
    }

    @Test func `a sync that userd refuses is told to the browser`() async throws {
        let refusal = Mutex<CommandError?>(nil)
        var userd = UserdClient.untouched
        userd.sync = { _ in throw VarlinkClientError.refused(path: "/s") }
        let console = Console(
            environment: ["USERD_SOCKET": "/s"], clock: clock, sleep: { _ in },
            output: .init(send: { _ in }), errors: .init(send: { _ in }), userd: { _ in .untouched })
        let client = BrowseClient(
            connect: { [userd] in UserdOrCache(client: userd, database: nil, clock: clock) },
            console: console,
            post: { event in
                if case .refused(let error) = event { refusal.withLock { $0 = error } }
            })
        await client.answer(
            AsyncStream { requests in
                requests.yield(.sync)
                requests.finish()
            })
        let error = try #require(refusal.withLock { $0 })
        #expect(error.message == "userd is not running (nothing listens at /s)")
    }
}
