import MockDaemon
import Model
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("who, and names that are typed as commands")
struct WhoTests {
    @Test("who is search")
    func short() async {
        let users = UserdClient.mock(users: [anna, wei])
        let who = await userctl("who", "berg", userd: users)
        #expect(who.code == 0 && who.output.contains("Bergström, Anna"))
        #expect(await userctl("search", "berg", userd: users).output == who.output)
        #expect(await userctl("who").errors.contains("see `userctl who --help`"))
        #expect(await userctl("who", "--help").output.contains("search"))
        #expect(await userctl("hwo", "berg").errors.contains("unknown command “hwo”; did you mean who?"))
    }

    private func typed(_ arguments: [String], _ cache: CacheFile, width: Int? = 200) async -> Ended {
        await userctl(
            arguments, userd: .untouched, environment: ["USERD_DATABASE": cache.path], errorWidth: width)
    }

    @Test("On a terminal an unknown command says how many people it finds, and stays wrong usage")
    func name() async throws {
        let cache = try await CacheFile(users: [anna, wei])
        let one = await typed(["anna", "berg"], cache)
        #expect(one.code == 64 && one.output == "")
        #expect(one.errors.hasPrefix("userctl: unknown command “anna”"))
        #expect(one.errors.hasSuffix("userctl: `userctl who anna berg` finds 1 person\n"))
        let both = await typed(["example"], cache)
        #expect(both.errors.contains("unknown command “example”"))
        for arguments in [
            ["zzz"], ["!!"], ["list", "--anna"], ["help", "anna"], ["--anna"], ["sync", "anna"],
        ] {
            let ended = await typed(arguments, cache)
            #expect(ended.code == 64 && !ended.errors.contains("finds"), "\(arguments)")
        }
        #expect(await !typed(["anna"], cache, width: nil).errors.contains("finds"))
    }

    @Test("Without a cache nothing more is said")
    func none() async {
        let ended = await userctl(
            ["anna"], environment: ["USERD_DATABASE": "/nonexistent/userd.db"], errorWidth: 200)
        #expect(ended.code == 64 && !ended.errors.contains("finds"))
    }
}
