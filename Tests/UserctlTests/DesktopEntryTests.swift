import Model
import TestSupport
import Testing
import UserdAPI

@testable import UserctlCommands

@Suite("Files and words of the desktop", .timeLimit(.hang)) struct DesktopEntryTests {
    @Test(
        "Words are in the language of the session, else in English",
        arguments: [
            (["LANG": "de_DE.UTF-8"], "Personen (userd)"), (["LANG": "zh_TW"], "人员 (userd)"),
            (["LANG": "de", "LC_MESSAGES": "fr_FR"], "Personnes (userd)"),
            (["LC_ALL": "C", "LANG": "de"], "People (userd)"), ([:], "People (userd)"),
        ] as [([String: String], String)])
    func words(environment: [String: String], name: String) {
        #expect(DesktopWords.words(environment).name == name)
    }

    @Test func `Every language has all words, without markup`() {
        #expect(DesktopWords.languages.map(\.key) == ["en", "de", "fr", "es", "it", "pt", "ja", "zh"])
        for (language, words) in DesktopWords.languages {
            let texts = Mirror(reflecting: words).children.compactMap { $0.value as? String }
            #expect(texts.count == 9)
            for text in texts {
                #expect(!text.isEmpty && text.sanitised == text, "\(language): \(text)")
                #expect(!text.contains { "<>&\"".contains($0) }, "\(language): \(text)")
            }
            #expect(words.secretBody.contains("userctl doctor"))
        }
    }

    @Test func `The files name each other and the program`() async {
        let application = await userctl("desktop", "entry", "application").output
        #expect(application.hasPrefix("[Desktop Entry]\nType=Application\nName=People (userd)\nName[de]="))
        #expect(application.contains("\nName[ja]=ユーザー (userd)\n"))
        #expect(application.contains("\nExec=/usr/bin/userctl desktop window browse\nTerminal=true\n"))
        let gnome = await userctl("desktop", "entry", "gnome").output
        #expect(
            gnome == """
                [Shell Search Provider]
                DesktopId=io.userd.desktop
                BusName=io.userd.Search
                ObjectPath=/io/userd/Search
                Version=2

                """)
        let krunner = await userctl("desktop", "entry", "krunner").output
        #expect(krunner.contains("\nX-Plasma-DBusRunner-Service=io.userd.Search\n"))
        #expect(!krunner.contains("Min-Letter-Count"))
        let service = await userctl("desktop", "entry", "service").output
        #expect(
            service == "[D-BUS Service]\nName=io.userd.Search\nExec=/usr/bin/userctl desktop search\n")
    }

    @Test func `Help and suggestions leave the desktop's commands out`() async {
        #expect(await !userctl("--help").output.contains("\n  desktop"))
    }

    @Test(
        "userd's mark is read, and anything else ignored",
        arguments: [
            (#"{"kind":"signIn","id":"4"}"#, "4"), (#"{"kind":"secret","id":"5","more":1}"#, "5"),
            (#"{"kind":"other","id":"4"}"#, nil), (#"{"kind":"signIn","id":""}"#, nil),
            (#"{"kind":"signIn"}"#, nil), ("[]", nil), ("", nil), ("{", nil),
        ] as [(String, String?)])
    func mark(text: String, id: String?) {
        #expect(Attention(Array(text.utf8))?.id == id)
    }

    @Test func `On a machine without a directory, the window says how to connect`() async throws {
        let home = try TemporaryDirectory()
        let ended = try await run(
            Program.userctl.path, ["desktop", "window", "list"], environment: ["HOME": home.path])
        #expect(ended.code == 69)
        #expect(ended.errors.contains("userctl: not connected: `userctl connect example.org`"), "\(ended)")
    }

    @Test func `The first terminal in PATH runs userctl in a window that stays`() async throws {
        let folder = try TemporaryDirectory()
        let environment = ["PATH": folder.path]
        #expect(Desktop.inTerminal("/u", ["browse"], environment) == nil)
        for (name, words) in [("xterm", ["-e"]), ("gnome-terminal", ["--"])] {
            let made = try await run(
                "/usr/bin/install", ["-m", "755", "/dev/null", folder.file(name)], environment: [:])
            try #require(made.code == 0)
            #expect(
                Desktop.inTerminal("/u", ["browse", "--card=-x y"], environment)
                    == [folder.file(name)] + words + ["/u", "desktop", "window", "browse", "--card=-x y"])
        }
        #expect(Desktop.inScope(["a"], environment) == ["a"])
    }
}

@Suite("People for the desktop", .timeLimit(.hang)) struct DesktopPeopleTests {
    private func console(_ environment: [String: String]) -> Console {
        let output = Console.Output(send: { _ in })
        return Console(
            environment: environment, clock: clock, sleep: { _ in }, output: output, errors: output)
    }

    @Test func `A person is found by id alone, also after the cache was replaced`() async throws {
        let (first, second) = (try await CacheFile(users: [anna]), try await CacheFile(users: [wei]))
        let people = DesktopPeople(console(["USERD_DATABASE": first.path]))
        #expect(await people.person("id-anna")?.id == "id-anna")
        #expect(await people.person("anna@example.com") == nil)
        let moved = try await run("/bin/mv", [second.path, first.path], environment: [:])
        try #require(moved.code == 0)
        #expect(await people.person("id-anna") == nil)
        #expect(await people.person("id-wei")?.id == "id-wei")
    }

    @Test func `Without a cache, or with desktop: false, nobody is found and nothing is said`() async throws {
        #expect(await DesktopPeople(console(["USERD_DATABASE": "/nonexistent"])).named("anna") == [])
        let cache = try await CacheFile(users: [anna])
        let folder = try TemporaryDirectory()
        let environment = ["USERD_DATABASE": cache.path, "USERD_SOCKET": "/s"]
        #expect(await DesktopPeople(console(environment)).named("anna").map(\.id) == ["id-anna"])
        let off = environment.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }
        // A mistake does not turn it on again.
        for text in ["desktop: false", "desktop: nope", "desktop: false\nusers: {"] {
            let made = try await run(
                "/bin/sh",
                ["-c", #"mkdir -p "$0/userd" && echo "$1" >"$0/userd/config.yaml""#, folder.path, text],
                environment: ["PATH": "/usr/bin:/bin"])
            try #require(made.code == 0)
            #expect(await DesktopPeople(console(off)).named("anna") == [], "\(text)")
            #expect(await DesktopPeople(console(off)).person("id-anna") == nil)
        }
    }
}
