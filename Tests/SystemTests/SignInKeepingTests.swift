import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("A sign-in, whatever happens while it is renewed", .timeLimit(.hang))
struct SignInKeepingTests {
    private static let folder = ".local/state/userd-tokens"

    @Test(
        "On a full disk no token is spent: after a kill or a reload, and with room again, userd goes on",
        arguments: [SIGKILL, SIGHUP])
    func fullDisk(signal: Int32) async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            let tokens = machine.file("home/\(Self.folder)")
            try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: true)
            try #require(mount("tmpfs", tokens, "tmpfs", 0, "mode=700,size=32k") == 0)
            defer { umount2(tokens, Int32(MNT_DETACH)) }
            let provider = try await Provider(on: machine, "provider.py", ["--access", "2"])
            let userd = try await machine.startUserd(provider.settings())
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            try await wait { try await machine.state(of: .users).phase == .loaded }
            // Not while a renewal runs.
            _ = try await machine.call(.setPaused, SetPaused(paused: true))
            try await wait { try await machine.state(of: .users).phase != .syncing }
            let filler = tokens + "/filler"
            let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            let page = [UInt8](repeating: 1, count: 4096)
            while write(descriptor, page, page.count) > 0 {}
            close(descriptor)
            _ = try await machine.call(.setPaused, SetPaused(paused: false))
            var failure: Failure?
            try await wait {
                failure = try await machine.state(of: .users).failure
                return failure?.kind == .storage
            }
            #expect(failure?.message.contains("the tokens can't be kept") == true)
            let saved = provider.tokens()

            userd.send(signal)
            if signal == SIGKILL {
                try await userd.ended()
            } else {
                try await userd.line(containing: "Settings read again")
            }
            #expect(unlink(filler) == 0)
            if signal == SIGKILL { try await machine.startUserd(provider.settings()) }
            try await wait {
                let state = try await machine.state(of: .users)
                return state.phase == .loaded || state.failure?.kind == .credentials
            }
            #expect(try await machine.state(of: .users).phase == .loaded)
            try await wait { provider.tokens() != saved }
        }
    }

    @Test("A stop waits for a provider that takes four seconds, and so does Ctrl-C in --check-upstream")
    func slowProvider() async throws {
        try await onMachine { machine in
            let provider = try await Provider(
                on: machine, "provider.py", ["--access", "2", "--token-delay", "4"])
            let userd = try await machine.startUserd(provider.settings())
            try #require(try await provider.userctl(["sign-in"]).code == 0)
            var before = try await renewalBegins(machine, provider)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            #expect(provider.tokens().count == 2 && provider.tokens() != before)

            async let begins = renewalBegins(machine, provider)
            let check = try machine.start(
                .userd, machine.arguments(provider.settings()) + ["--check-upstream"])
            before = try await begins
            check.send(SIGINT)
            #expect(try await check.ended() == .exited(130))
            #expect(check.text(.errors).contains("ends once the new tokens are kept"))
            #expect(provider.tokens().count == 2 && provider.tokens() != before)
            // The provider takes the kept ones.
            before = provider.tokens()
            try await machine.startUserd(provider.settings())
            try await wait { provider.tokens() != before }
        }
    }

    /// Waits until a renewal has begun, for which the same tokens are written again. Returns them.
    private func renewalBegins(_ machine: Machine, _ provider: Provider) async throws -> [String] {
        func number() -> ino_t {
            var status = stat()
            return stat(machine.file("home/\(Self.folder)/users.json"), &status) == 0 ? status.st_ino : 0
        }
        while true {
            let (tokens, file) = (provider.tokens(), number())
            try await wait { number() != file }
            if provider.tokens() == tokens { return tokens }
        }
    }
}
