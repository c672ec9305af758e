import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// Allowed imports and a few rules of style, checked in the sources.
@Suite struct ArchitectureTests {
    struct Rule: Sendable, CustomTestStringConvertible {
        /// Modules by name; with `*` at the end, all with that prefix.
        var modules: [String]
        /// Targets, or rooms of a target: `Upstream/SignIn`.
        var onlyIn: Set<String>
        var reason: String

        var testDescription: String { modules.joined(separator: ", ") + ": " + reason }

        func covers(_ module: String) -> Bool {
            modules.contains { Self.names($0, module) }
        }

        static func names(_ pattern: String, _ module: String) -> Bool {
            pattern.hasSuffix("*") ? module.hasPrefix(pattern.dropLast()) : module == pattern
        }
    }

    static let rules = [
        Rule(
            modules: ["AsyncHTTPClient", "NIOSSL", "NIOHTTPCompression"], onlyIn: ["HTTPClient"],
            reason: "other modules reach upstreams through services, so that tests need no network"),
        Rule(
            modules: ["NIO*"], onlyIn: ["CardDAV", "HTTPClient", "Upstream/SignIn", "VarlinkServer"],
            reason: "event loops stay where sockets are served"),
        Rule(
            modules: ["CardDAV", "HTTPClient", "LDAP", "Sync", "VarlinkServer"], onlyIn: ["Daemon"],
            reason: "they belong to the daemon, and only its composition root knows them all"),
        Rule(
            modules: ["Daemon"], onlyIn: ["userd"],
            reason: "the composition root is the top: no module builds on it"),
        Rule(
            modules: ["UserctlCommands"], onlyIn: ["userctl"],
            reason: "the command's output is for people, and no module builds on it"),
        Rule(
            modules: ["Cache"], onlyIn: ["Cache", "Daemon", "Reads", "Sync", "UserctlCommands"],
            reason: "in the protocol, only the methods that read know where rows are"),
        Rule(
            modules: ["Upstream"], onlyIn: ["Daemon", "LDAP", "Sync", "Upstream"],
            reason: "clients of userd know nothing of upstreams, except what a recording holds"),
        Rule(
            modules: ["CLinux"],
            onlyIn: ["Daemon", "Platform", "SQLite", "Sync/SystemEvents", "Upstream/Discovery"],
            reason: "the kernel's structures end where its messages are read"),
        Rule(
            modules: ["CSQLite"], onlyIn: ["SQLite"],
            reason: "C's pointers and result codes end at the typed layer"),
        Rule(
            modules: ["CLDAP"], onlyIn: ["LDAP"],
            reason: "C's pointers and blocking calls stay on their own thread"),
        Rule(
            modules: ["CYAML"], onlyIn: ["YAML"],
            reason: "C's events end at the tree that is made of them"),
        Rule(
            modules: ["CUTF8Proc"], onlyIn: ["Cache/TextFolding"],
            reason: "text is folded in one place, so that stored text is found"),
        Rule(
            modules: ["CExpat"], onlyIn: ["CardDAV"],
            reason: "C's callbacks end at the request that is made of them"),
        Rule(
            modules: ["CPictures"], onlyIn: ["UserctlCommands/PictureDecoding"],
            reason: "C's decoders read untrusted files, and only checked pixels leave the room"),
        Rule(
            modules: ["CSystemd"], onlyIn: ["UserctlCommands/SessionBus"],
            reason: "C's callbacks and pointers end at the messages that are made of them"),
        Rule(
            modules: ["CCrypto"], onlyIn: ["Upstream/DirectoryFormats", "Upstream/SignIn"],
            reason: "digests identify data without an id, and prove who asks for a token"),
        Rule(
            modules: ["SQLite", "Migrations"], onlyIn: ["Cache", "Migrations"],
            reason: "only the cache knows that there is SQL"),
        Rule(
            modules: ["YAML"], onlyIn: ["Daemon", "Upstream/DirectoryFormats", "UserctlCommands"],
            reason: "code that uses settings need not know how they are written"),
        Rule(
            modules: ["Foundation"], onlyIn: [],
            reason: "it brings ICU, 34 MiB that no program needs: FoundationEssentials is enough"),
        Rule(
            modules: ["DemoUpstream"], onlyIn: [],
            reason: "the demo upstream must never be in a product"),
        Rule(
            modules: testTools + ["Testing", "VarlinkFixtures", "Fuzzing"], onlyIn: [],
            reason: "the parts of tests must never be in a program"),
    ]

    /// Each folder of Sources, and the folders below it that its targets may use. Migrations belongs to
    /// Storage.
    static let floors: [String: Set<String>] = [
        "Client": ["Protocol", "Upstream", "Storage", "Base"],
        "Daemon": ["Protocol", "Sync", "Upstream", "Storage", "Base"],
        "Protocol": ["Storage", "Base"],
        "Sync": ["Upstream", "Storage", "Base"],
        "Upstream": ["Base"],
        "Storage": ["Base"],
        "Base": [],
    ]

    @Test("A folder of Sources uses only folders below it")
    func floors() throws {
        let files = try SourceFile.all()
        #expect(Set(files.map(\.folder)) == Set(Self.floors.keys))
        let folders = Dictionary(files.map { ($0.target, $0.folder) }) { first, _ in first }
        for file in files {
            for module in file.imports {
                guard let folder = folders[module], folder != file.folder else { continue }
                if Self.floors[file.folder]?.contains(folder) != true {
                    Issue.record("\(file.path) imports \(module), which is in \(folder)")
                }
            }
        }
    }

    /// Targets that tests share.
    static let testTools = ["MockDaemon", "Stubs", "StateRecording", "TestSupport"]

    @Test("A module is imported only where the rules allow it", arguments: rules)
    func imports(rule: Rule) throws {
        let all = try SourceFile.all(with: "Tests")
        let rooms = Set(all.flatMap { [$0.target, $0.room] })
        // A rule for a renamed module would check nothing.
        for pattern in rule.modules {
            let isKnown = all.contains { $0.imports.contains { Rule.names(pattern, $0) } }
            #expect(isKnown, "no file imports \(pattern)")
        }
        #expect(rule.onlyIn.subtracting(rooms) == [], "no target or room has this name")
        for file in try SourceFile.all() where rule.onlyIn.isDisjoint(with: [file.target, file.room]) {
            for module in file.imports where rule.covers(module) {
                Issue.record("\(file.path) imports \(module): \(rule.reason)")
            }
        }
    }

    @Test(
        "Targets that tests share import only the modules that they replace or observe",
        arguments: [
            // Processes, sockets and clocks; Varlink's bytes, for a peer that sends them raw.
            ("TestSupport", ["Varlink"]),
            ("MockDaemon", ["Model", "Upstream", "UserdAPI", "Varlink"]),
            // The parts of services, but not their users.
            ("Stubs", ["HTTP", "Model", "TestSupport", "Upstream"]),
            // The machine and the sources of states, but nothing that they are built on.
            ("StateRecording", ["Model", "Sync", "TestSupport", "UserdAPI", "Varlink"]),
        ] as [(String, Set<String>)])
    func tools(target: String, allowed: Set<String>) throws {
        let files = try SourceFile.all(with: "Tests")
        let own = Set(files.map(\.target))
        let imports = Set(files.filter { $0.target == target }.flatMap(\.imports))
        #expect(imports.contains("Testing") || imports.contains("Synchronization"))
        #expect(imports.intersection(own).subtracting(allowed) == [])
    }

    @Test("No program is linked with a module of the tests", arguments: ["userd", "userctl"])
    func products(program: String) throws {
        let tools = try SourceFile.all(with: "Tests").linked(into: program)
        let sources = try Set(SourceFile.all().map(\.target))
        #expect(tools.count > 1 && tools.subtracting(sources) == [])
    }

    @Test("No program holds symbols of the tests' modules", arguments: [Program.userd, .userctl])
    func symbols(program: Program) async throws {
        for module in Self.testTools + ["Testing"] {
            let prefix = "$s\(module.utf8.count)\(module)"
            #expect(try await !holds(program.path, prefix), "\(module)")
            #expect(try await holds("/proc/\(getpid())/exe", prefix), "\(module) would not be found")
        }
    }

    private func holds(_ program: String, _ text: String) async throws -> Bool {
        // Hundreds of megabytes: it takes grep(1) a moment.
        let found = try await run(
            "/usr/bin/grep", ["--quiet", "--text", "--fixed-strings", text, program],
            environment: [:])
        try #require(found.code <= 1, "\(found.errors)")
        return found.code == 0
    }

    @Test(
        "Pure modules import nothing that could do I/O or tell the time",
        arguments: [
            ("Model", ["FoundationEssentials"]), ("TerminalViews", ["FoundationEssentials", "Model"]),
            ("Model/MessageText", []), ("Sync/SyncCore", ["Model"]),
            // For memchr.
            ("StrictJSON", ["Glibc"]),
        ] as [(String, Set<String>)])
    func pure(room: String, allowed: Set<String>) throws {
        let files = try SourceFile.all().filter { [$0.target, $0.room].contains(room) }
        #expect(!files.isEmpty)
        #expect(Set(files.flatMap(\.imports)).subtracting(allowed).isEmpty)
    }

    /// It shares a target with the engine and what the engine imports.
    @Test("The machine of syncs waits for nothing, starts nothing and names no type of the engine")
    func machine() throws {
        let files = try SourceFile.all()
        let engine = files.filter { $0.room == "Sync/SyncEngine" || $0.room == "Sync/SystemEvents" }
        let banned = Set(engine.flatMap(\.declaredTypes) + ["await", "async", "Task"])
        #expect(banned.contains("SyncEngine"))
        for file in files where file.room == "Sync/SyncCore" {
            for (number, line) in file.lines.enumerated() where !line.isComment {
                let words = line.split { !$0.isLetter && !$0.isNumber }.map(String.init)
                let found = banned.intersection(words)
                #expect(found == [], "\(file.path):\(number + 1)")
            }
        }
    }

    @Test("userctl links neither the HTTP client nor the server, nor other large modules")
    func userctl() throws {
        let files = try SourceFile.all()
        let linked = files.linked(into: "userctl")
        #expect(linked.isSuperset(of: ["UserctlCommands", "Varlink", "Cache", "Model", "Reads"]))
        let imported = Set(files.filter { linked.contains($0.target) }.flatMap(\.imports))
        let banned = imported.filter {
            $0.hasPrefix("NIO")
                || [
                    "AsyncHTTPClient", "CCrypto", "CLDAP", "Daemon", "Foundation", "LDAP", "Logging",
                    "ServiceLifecycle", "Sync", "Upstream", "VarlinkServer",
                ].contains($0)
        }
        #expect(banned.isEmpty)
    }

    @Test("The wire's types link neither the cache nor SQLite")
    func wireTypes() throws {
        let linked = try SourceFile.all().linked(into: "UserdAPI")
        #expect(linked.contains("Varlink") && linked.isDisjoint(with: ["Cache", "SQLite"]))
    }

    @Test("Code that gives up the compiler's checks has a comment with the reason")
    func bannedCalls() throws {
        let never = ["try" + "!", "as" + "! "]
        let withReason = ["@unchecked " + "Sendable", "nonisolated(" + "unsafe)"]
        for file in try SourceFile.all(with: "Tests") {
            for (number, line) in file.lines.enumerated() where !line.isComment {
                for call in never where line.contains(call) {
                    Issue.record("\(file.path):\(number + 1): \(call)")
                }
                let neighbours = [number - 1, number + 1].filter(file.lines.indices.contains)
                let hasReason = neighbours.contains { file.lines[$0].isComment }
                for call in withReason where line.contains(call) && !hasReason {
                    Issue.record(
                        "\(file.path):\(number + 1): \(call) without a comment with the reason next to it")
                }
            }
        }
    }

    /// Readers that differ let a request pass a check and go elsewhere.
    @Test("Only the values of an HTTP address look at the text of its host and port")
    func hosts() throws {
        let readers =
            [".host(", "encodedHost", "percentEncodedHost", "rangeOfHost", "rangeOfPort", "inet_"]
            + ["url", "parts", "components", "endpoint"].flatMap { ["\($0).host", "\($0).port"] }
        let files = try SourceFile.all().filter { file in
            file.lines.contains { line in !line.isComment && readers.contains { line.contains($0) } }
        }
        let allowed = ["Upstream/HTTP/HTTPAddress", "Upstream/HTTP/HTTPHost", "Base/Platform/PeerOwner"]
        #expect(Set(files.map(\.path)) == Set(allowed.map { "Sources/\($0).swift" }))
    }

    /// setenv(3) is not safe while other threads read the environment.
    @Test("The environment is changed in few places, and by userd before the first await")
    func environment() throws {
        let calls = ["setenv" + "(", "putenv" + "("]
        let files = try SourceFile.all().filter { file in
            file.lines.contains { line in calls.contains { line.contains($0) } }
        }
        #expect(
            Set(files.map(\.path)) == [
                "Sources/Daemon/Daemon/SystemdNotify/ServiceManager.swift",
                "Sources/Daemon/Daemon/SystemdNotify/Watchdog.swift", "Sources/Daemon/Daemon/Daemon.swift",
                "Sources/Upstream/LDAP/Ticket.swift",
            ])
        let daemon = try #require(files.first { $0.path.hasSuffix("/Daemon.swift") })
        let change = try #require(daemon.lines.firstIndex { $0.contains(calls[0]) })
        let wait = try #require(daemon.lines.firstIndex { $0.contains("await ") })
        #expect(change < wait)
    }

    @Test("Nothing lies beside the files and folders of the top level")
    func topLevel() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: SourceFile.root.path)
        #expect(
            Set(names.filter { !$0.hasPrefix(".") }).subtracting(["Package.resolved"]) == [
                "Benchmarks", "Makefile", "Migrations", "Package.swift", "README.md", "Sources", "Tests",
                "systemd",
            ])
    }

    @Test("No file has more than 320 lines")
    func fileLength() throws {
        for file in try SourceFile.all(with: "Tests") where file.lines.count > 320 {
            Issue.record("\(file.path) has \(file.lines.count) lines: it has more than one subject")
        }
    }
}

extension [SourceFile] {
    /// The targets that are linked into a program.
    fileprivate func linked(into program: String) -> Set<String> {
        let targets = Set(map(\.target))
        var (linked, next): (Set<String>, Set<String>) = ([], [program])
        while !next.isEmpty {
            linked.formUnion(next)
            let imports = filter { next.contains($0.target) }.flatMap(\.imports)
            next = Set(imports).intersection(targets).subtracting(linked)
        }
        return linked
    }
}
