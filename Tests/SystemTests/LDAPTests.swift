import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

extension Machine {
    /// Settings for a userd that fetches its users from this directory.
    func directory(_ url: String, _ more: [String: String] = [:]) -> [String: String] {
        ["users.format": "ldap", "users.url": url, "users.query": "", "paused": "true"].merging(more) { $1 }
    }

    fileprivate func passwordFile(_ password: String = Slapd.password) throws -> String {
        let path = file("password")
        try "\(password)\n".write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o600)
        return path
    }
}

@Suite("Users of a directory over LDAP", .timeLimit(.hang))
struct LDAPTests {
    /// A grey picture of 16 × 16 pixels.
    private static let jpeg = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK
        CgoKBggLDAsKDAkKCgr/wAALCAAQABABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF
        BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW
        V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi
        4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APi+v0or8G6/uIr/2Q==
        """

    @Test(
        "userd caches all users of a directory; a sync records changes, and a failed sync changes nothing"
    )
    func whole() async throws {
        let jpeg = Array(try #require(Data(base64Encoded: Self.jpeg, options: .ignoreUnknownCharacters)))
        let ldif = DirectoryPeople.ldif(2000) + DirectoryPeople.person(5001, [("jpegPhoto", jpeg)])
        let authority = try await CertificateAuthority()
        let slapd = try await Slapd(
            ldif, settings: "limits dn.exact=\"\(Slapd.admin)\" size.prtotal=unlimited",
            identity: try await authority.identity())
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                let userd = try await machine.startUserd(
                    machine.directory(
                        "\(slapd.encrypted)/\(DirectoryPeople.base)",
                        [
                            "users.bind_dn": Slapd.admin, "users.password_file": try machine.passwordFile(),
                            "paused": "false",
                            "http.ca_file": authority.certificate,
                        ]))
                let loaded = try await machine.sync(.users)
                #expect(loaded.phase == .loaded && loaded.count == 2001, "\(loaded)")
                let user = try await machine.call(.getUser, GetUser(key: "user42")).user
                #expect(user.name == User.Name(first: "Ελένη", last: "Παπαδοπούλου"))
                #expect(user.emails?.map(\.value) == DirectoryPeople.mails(42))
                let manager = try await machine.call(.getUser, GetUser(key: "user21")).user
                #expect(user.manager == User.Manager(id: manager.id, name: manager.displayName))

                let report = try await machine.userctl(["report", "-"]).output
                #expect(!report.contains("user42") && !report.contains("Παπαδοπούλου"))
                #expect(report.contains("\"surveyed\": 500"))

                // A requested photo is saved and drawn.
                let saved = machine.file("photo.jpg")
                let asked = try await machine.userctl(["picture", "user5001", "--output", saved])
                #expect(asked.code == 0, "\(asked)")
                #expect(FileManager.default.contents(atPath: saved) == Data(jpeg))
                let card = try await run(
                    "/usr/bin/script",
                    ["-qec", "'\(Program.userctl.path)' show user5001 --draw blocks", "/dev/null"],
                    environment: machine.environment.merging([
                        "TERM": "xterm", "COLORTERM": "truecolor",
                    ]) { $1 })
                #expect(card.code == 0 && card.output.contains("▀"), "\(card)")

                let before = try await slapd.searches().count
                #expect(
                    try await machine.sync(.users).cause.rawValue
                        == "committed")
                // The first sync after a list compares all ids.
                let ids = Array(repeating: #"base="ou=people,dc=example,dc=org" scope=2"#, count: 5)
                #expect(
                    try await slapd.searches().dropFirst(before) == [#"base="dc=example,dc=org" scope=0"#]
                        + ids)

                try await slapd.modify(
                    """
                    dn: \(DirectoryPeople.dn(7))
                    changetype: modify
                    replace: title
                    title: Chief

                    dn: \(DirectoryPeople.dn(1999))
                    changetype: delete

                    dn: \(DirectoryPeople.dn(1998))
                    changetype: modrdn
                    newrdn: uid=renamed
                    deleteoldrdn: 1

                    \(DirectoryPeople.person(6000).replacing("\nobjectClass: inet", with: "\nchangetype: add\nobjectClass: inet"))
                    """)
                let id = try await machine.call(.getUser, GetUser(key: "user1998")).user.id
                let next = try await machine.sync(.users)
                #expect(next.cause.rawValue == "committed: 1 added, 2 changed, 1 removed", "\(next)")
                #expect(try await machine.call(.getUser, GetUser(key: "renamed")).user.id == id)
                #expect(try await machine.call(.getUser, GetUser(key: "user7")).user.jobTitle == "Chief")

                try await slapd.stop()
                let down = try await machine.sync(.users)
                #expect(
                    down.phase == .error && down.failure?.kind == .offline && down.count == 2001, "\(down)")
                #expect(down.nextSyncAt != nil)
                #expect(try await machine.call(.getUser, GetUser(key: "user42")).user == user)

                for secret in ["Never-To-Be-Kept", Slapd.password] {
                    #expect(!userd.text(.errors).contains(secret))
                    for file in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                        let bytes = try Data(contentsOf: URL(filePath: machine.cacheDirectory + "/" + file))
                        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
                    }
                }
            }
        }
    }

    @Test(
        "userd sends no password to another machine without encryption"
    )
    func password() async throws {
        try await inNetworkNamespace { network in
            try await network.ip("link", "set", "lo", "up")
            try await network.ip("address", "add", "192.0.2.1/32", "dev", "lo")
            try await onMachine { machine in
                let (executable, arguments) = network.command(
                    "/usr/bin/nc", ["-l", "-k", "-v", "-n", "192.0.2.1", "389"])
                let recorder = try machine.start(executable, arguments)
                try await recorder.line(containing: "Listening")
                let settings = machine.directory(
                    "ldap://192.0.2.1/dc=example,dc=org",
                    ["users.bind_dn": Slapd.admin, "users.password_file": try machine.passwordFile()])
                try await machine.startUserd(settings, in: network)
                let refused = try await machine.sync(.users)
                #expect(
                    refused.failure?.kind == .credentials && refused.failure?.retryable == false, "\(refused)"
                )
                #expect(refused.failure?.message.contains("is not sent to ldap://192.0.2.1") == true)
                #expect(
                    recorder.bytes(.output).isEmpty && !recorder.text(.errors).contains("Connection received")
                )

                // An anonymous login is sent: the recorder receives it.
                let (program, words) = network.command(
                    Program.userd.path,
                    ["--check-upstream"]
                        + machine.arguments(
                            machine.directory("ldap://192.0.2.1/dc=org", ["http.deadline": "1s"])))
                let check = try machine.start(program, words)
                try await recorder.line(containing: "Connection received")
                try await check.ended()
                try await wait { !recorder.bytes(.output).isEmpty }
            }
        }
    }

    @Test(
        "With LDAP userd checks upstream, prints and checks settings, and refuses recordings"
    )
    func commands() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(25))
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                let settings = machine.directory(
                    "\(slapd.plain)/\(DirectoryPeople.base)??sub?(uid=*)",
                    ["users.bind_dn": Slapd.admin, "users.password_file": try machine.passwordFile()])
                func userd(_ flag: String, _ more: [String: String] = [:]) async throws -> Finished {
                    try await run(
                        Program.userd.path, [flag] + machine.arguments(settings.merging(more) { $1 }),
                        environment: machine.environment)
                }
                let checked = try await userd("--check-upstream")
                let checks = try JSONDecoder().decode(UpstreamChecks.self, from: Data(checked.output.utf8))
                let users = try #require(checks.upstreams.first)
                #expect(
                    users.address == slapd.plain
                        && users.steps.map(\.name) == [.lookup, .connection, .answer])
                #expect(users.sample?.records == 25 && users.sample?.users.count == 3)
                let found = Dictionary(
                    (users.sample?.fields ?? []).map { ($0.pointer, $0.found) }, uniquingKeysWith: max)
                #expect(found["entryUUID"] == 25 && found["objectGUID"] == 0 && found["jpegPhoto"] == 3)
                #expect(users.sample?.unread.contains("userpassword") == true)
                #expect(!checked.output.contains("Never-To-Be-Kept"))

                let printed = try await userd("--print-config")
                #expect(printed.output.contains("bind_dn: \"\(Slapd.admin)\"  # command line"), "\(printed)")
                let doctor = try await userd(
                    "--check-upstream", ["users.password_file": try machine.passwordFile("wrong")])
                #expect(
                    doctor.output.contains("invalidCredentials (49)") && !doctor.output.contains("wrong\""))

                _ = try machine.passwordFile()
                let nobody = try await userd(
                    "--check-upstream",
                    ["users.url": "\(slapd.plain)/\(DirectoryPeople.base)??sub?(uid=nobody)"])
                #expect(nobody.code == 1 && nobody.output.contains("no entry below"), "\(nobody)")

                let har = machine.file("empty.har")
                try #"{"log": {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": []}}"#
                    .write(
                        toFile: har, atomically: true, encoding: .utf8)
                for flag in ["--check-config", "--paused"] {
                    let refused = try await userd(flag, ["replay": har])
                    #expect(
                        refused.code == 64 && refused.errors.contains("replay: a recording holds only HTTP"),
                        "\(refused)")
                }
                let unread = try await run(
                    Program.userd.path,
                    ["--check-config"]
                        + machine.arguments(settings.filter { $0.key != "users.password_file" }),
                    environment: machine.environment)
                #expect(unread.code == 0 && unread.errors.contains("/users-password"), "\(unread)")
            }
        }
    }

    @Test("userd starts without libldap, which is not linked")
    func unlinked() async throws {
        let needed = try await run(
            "/usr/bin/readelf", ["--dynamic", "--wide", Program.userd.path],
            environment: Installation.environment)
        #expect(needed.output.contains("(NEEDED)") && !needed.output.contains("libldap"), "\(needed)")
        #expect(!needed.output.contains("liblber"))
    }

    @Test(
        "A refused password is sent once despite requests for photos, and once more at each requested sync"
    )
    func refused() async throws {
        let jpeg = Array(try #require(Data(base64Encoded: Self.jpeg, options: .ignoreUnknownCharacters)))
        let slapd = try await Slapd(
            DirectoryPeople.root
                + (0..<3).map { DirectoryPeople.person($0 + 1, [("jpegPhoto", jpeg)]) }.joined())
        try await withSlapd(slapd) { slapd in
            try await onMachine { machine in
                func refusals() -> Int { slapd.log.split(separator: "tag=97 err=49").count - 1 }
                let settings = machine.directory(
                    "\(slapd.plain)/\(DirectoryPeople.base)",
                    ["users.bind_dn": Slapd.admin, "users.password_file": try machine.passwordFile()])
                try await machine.startUserd(settings)
                #expect(try await machine.sync(.users).count == 3)

                _ = try machine.passwordFile("wrong")
                #expect(try await machine.sync(.users).failure?.kind == .ldap)
                for number in 1...3 {
                    let asked = try await machine.userctl([
                        "picture", "user\(number)", "--output", machine.file("\(number).jpg"),
                    ])
                    #expect(asked.code != 0)
                }
                #expect(try await machine.retry(.users).failure?.kind == .ldap)

                // With the right password, a photo is fetched without a sync.
                _ = try machine.passwordFile()
                let saved = machine.file("photo.jpg")
                let asked = try await machine.userctl(["picture", "user1", "--output", saved])
                #expect(asked.code == 0, "\(asked)")
                // slapd logs after it answers: the last login is logged, and so are those before.
                try await wait { slapd.log.split(separator: "tag=97 err=0").count >= 3 }
                #expect(refusals() == 2, "\(slapd.log)")
            }
        }
    }

    @Test("The shipped unit lets userd connect to a directory with a password, and reload")
    func service() async throws {
        let slapd = try await Slapd(DirectoryPeople.ldif(25), settings: "require bind")
        try await withSlapd(slapd) { slapd in
            try await onUserManager { manager in
                try manager.write(Slapd.password + "\n", to: ".config/userd/users-password", mode: 0o600)
                try await manager.installUnits(
                    manager.machine.directory(
                        "\(slapd.plain)/\(DirectoryPeople.base)", ["users.bind_dn": Slapd.admin]))
                try await manager.systemctl("start", "userd.service")
                #expect(try await manager.systemctl("reload", "userd.service").code == 0)
                let synced = try await manager.userctl("sync", "users", "--wait")
                #expect(
                    synced.code == 0 && synced.errors.contains("25") || synced.output.contains("25"),
                    "\(synced)")
            }
        }
    }
}
