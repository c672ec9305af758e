import Foundation
import Glibc
import MockDaemon
import Synchronization
import TestSupport
import Testing
import UserdAPI

/// Tests `userctl service remove` in a real home with a fake systemctl.
@Suite struct RemovalTests {
    private let home: TemporaryDirectory
    private let programs: FakePrograms
    private static let tokens = ".local/state/userd-tokens/users.json"

    /// A service manager that runs userd and a book's socket until they are stopped.
    private static let systemctl = """
        case "$*" in
        *list-units*) echo "userd-carddav@24000.socket loaded active listening Book" ;;
        *" show "*)
            state=active file=enabled
            [ ! -e "$0.stop" ] || state=inactive
            [ ! -e "$0.disable" ] || file=disabled
            for name; do
                case $name in userd*)
                    printf 'Id=%s\\nLoadState=loaded\\nActiveState=%s\\nUnitFileState=%s\\n\\n' "$name" $state $file ;;
                esac
            done ;;
        *) for verb in stop disable; do case " $* " in *" $verb "*) : > "$0.$verb" ;; esac; done ;;
        esac
        """

    init() throws {
        home = try TemporaryDirectory()
        programs = try FakePrograms(["systemctl": Self.systemctl])
        for name in [
            ".cache/userd/userd.db", ".cache/userd/userd.db.lock", ".cache/userd/notes.txt",
            ".config/userd/config.yaml", ".config/userd/users-token", ".config/userd/carddav-password",
        ] { try write(name) }
    }

    private func write(_ name: String, _ text: String = "x") throws {
        let file = URL(filePath: home.file(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private var files: [String] {
        let all = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: home.file(name), isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    private func remove(
        _ arguments: String..., userd: UserdClient? = nil, path: String? = nil
    ) async -> Ended {
        await userctl(
            ["service", "remove"] + arguments, userd: userd,
            environment: ["HOME": home.path, "PATH": path ?? programs.directory.path])
    }

    @Test("Off a terminal without --yes, removal says what it would remove, and removes nothing")
    func shown() async {
        let before = files
        let ended = await remove()
        #expect(ended.code == 1)
        #expect(
            ended.errors == """
                userctl: to be stopped and disabled: userd.socket, userd.service, userd-carddav@24000.socket, userd-attention.path, userd-attention.service
                userctl: to be removed: \(home.path)/.cache/userd/userd.db
                userctl: to be removed: \(home.path)/.cache/userd/userd.db.lock
                userctl: to be removed: \(home.path)/.config/userd/carddav-password
                userctl: remove this?
                userctl: nothing was changed
                userctl: `userctl service remove --yes` agrees

                """)
        #expect(
            files == before
                && !FileManager.default.fileExists(atPath: programs.directory.file("systemctl.stop")))
    }

    @Test("Removal names what stays; the second one says that nothing is left to remove")
    func twice() async {
        let first = await remove("--yes")
        #expect(first.code == 0, "\(first.errors)")
        for line in [
            "stopped: userd.socket, userd.service, userd-carddav@24000.socket",
            "disabled: userd.socket, userd.service, userd-carddav@24000.socket",
            "removed: \(home.path)/.cache/userd/userd.db, \(home.path)/.cache/userd/userd.db.lock, \(home.path)/.config/userd/carddav-password",
            "left: the cards in your mail client: remove the address book there",
            "left: not known to be userd's, links, or not readable: \(home.path)/.cache/userd/notes.txt",
            "left: the configuration, \(home.path)/.config/userd/config.yaml, \(home.path)/.config/userd/users-token:",
            "left: the programs:", "left: lines in the journal:", "left: recordings, reports",
        ] { #expect(first.errors.contains("userctl: \(line)"), "\(line) in \(first.errors)") }
        #expect(
            files == [".cache/userd/notes.txt", ".config/userd/config.yaml", ".config/userd/users-token"])
        let second = await remove()
        #expect(second.code == 0)
        #expect(
            second.errors.hasPrefix("userctl: nothing of userd is left to remove\nuserctl: left: not known"))
        #expect(await remove("--yes", "--configuration").code == 0)
        #expect(files == [".cache/userd/notes.txt"])
        #expect(!FileManager.default.fileExists(atPath: home.file(".config/userd")))
    }

    @Test("A folder in whose place is a link is left and named")
    func link() async throws {
        try FileManager.default.moveItem(atPath: home.file(".config/userd"), toPath: home.file("dotfiles"))
        try FileManager.default.createSymbolicLink(
            atPath: home.file(".config/userd"), withDestinationPath: home.file("dotfiles"))
        let ended = await remove("--yes", "--configuration")
        #expect(ended.code == 0)
        #expect(
            ended.errors.contains(
                " links, or not readable: \(home.path)/.cache/userd/notes.txt, \(home.path)/.config/userd\n"),
            "\(ended.errors)")
        #expect(files.filter { $0.hasPrefix("dotfiles/") }.count == 3)
    }

    @Test("A userd that systemd did not start has to end first; without systemd nothing is stopped")
    func running() async throws {
        let before = files
        let lock = open(home.file(".cache/userd/userd.db.lock"), O_RDWR)
        try #require(flock(lock, LOCK_EX) == 0)
        try write(".cache/userd/userd.db.lock", "4711\n")
        let locked = await remove("--yes", path: "/nonexistent")
        #expect(locked.code == 1)
        #expect(
            locked.errors.hasPrefix(
                "userctl: a userd that systemd did not start is running (process 4711)\n"))
        #expect(files == before)
        close(lock)
        let without = await remove("--yes", path: "/nonexistent")
        #expect(without.code == 0)
        #expect(without.errors.contains("no service manager answers, so no units were stopped"))
    }

    @Test(
        "On a terminal, what a person does not agree to stays",
        arguments: [
            ("", 1, 6), ("y\n", 0, 3), ("y\ny", 0, 1),
        ] as [(String, Int32, Int)])
    func asked(answers: String, code: Int32, count: Int) async throws {
        let ended = try await run(
            "/bin/sh",
            [
                "-c",
                #"""
                mkfifo "$3" && exec 3<>"$3" && printf '%s\n' "$1" >&3
                exec script -qec "PATH=$2 exec $0 service remove" /dev/null <&3
                """#,
                Program.userctl.path, answers, programs.directory.path, programs.directory.file("keys"),
            ], environment: ["HOME": home.path, "PATH": "/usr/bin:/bin"])
        #expect(ended.code == code, "\(ended)")
        #expect(ended.output.contains("remove this? [y/N]"))
        #expect(files.count == count, "\(files)")
    }

    /// What the provider does, and whether the sign-in's file stays.
    @Test(
        "A sign-in that may still be revoked stays, and the message says how",
        arguments: [(nil, false), ("no route", true), ("it offers no way", false)] as [(String?, Bool)])
    func signIn(complaint: String?, stays: Bool) async throws {
        try write(Self.tokens, #"{"binding":{"issuer":"https://idp.example.org"}}"#)
        var userd = UserdClient.untouched
        let file = home.file(Self.tokens)
        userd.signOut = { asked in
            #expect(asked.keep == true)
            if !stays { unlink(file) }
            return try RawReply(SignOutReply(wasSignedIn: true, complaint: complaint), to: .signOut)
        }
        let ended = await remove("--yes", userd: userd)
        #expect(ended.code == (stays ? 1 : 0), "\(ended.errors)")
        let place = "at https://idp.example.org"
        if let complaint {
            #expect(ended.errors.contains("the sign-in \(place) could not be revoked: \(complaint)\n"))
            #expect(ended.errors.contains("left: the sign-in, which may be valid \(place): take back"))
        } else {
            #expect(ended.errors.contains("userctl: signed out \(place)\n"))
        }
        #expect(ended.errors.contains("`rm \(file)`") == stays)
        #expect(files.contains(Self.tokens) == stays)
        #expect(!files.contains(".cache/userd/userd.db"))
    }

    @Test("Without a userd that could revoke it, the sign-in stays")
    func stopped() async throws {
        try write(Self.tokens)
        let ended = await remove("--yes")
        #expect(ended.code == 1)
        #expect(ended.errors.contains("the sign-in could not be revoked: userd's socket is unknown"))
        #expect(files.contains(Self.tokens))
    }
}
