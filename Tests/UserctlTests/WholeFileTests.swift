import Foundation
import Glibc
import TestSupport
import Testing

@testable import UserctlCommands

@Suite struct WholeFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ name: String) -> String? {
        FileManager.default.contents(atPath: directory.file(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    private func mode(_ name: String) throws -> mode_t {
        var status = stat()
        try #require(stat(directory.file(name), &status) == 0)
        return status.st_mode & 0o777
    }

    private var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()) ?? []
    }

    private func write(_ text: String, to name: String) throws {
        try writeAtomically(Array(text.utf8), to: directory.file(name))
    }

    @Test("A new file has the umask's mode")
    func new() throws {
        try write("new", to: "a")
        #expect(read("a") == "new")
        let mask = umask(0)
        umask(mask)
        #expect(try mode("a") == 0o666 & ~mask)
        #expect(names == ["a"])
    }

    @Test("A replaced file keeps its mode", arguments: [0o600, 0o640, 0o755])
    func replacing(mode: mode_t) throws {
        try write("long before", to: "a")
        try #require(chmod(directory.file("a"), mode) == 0)
        let old = open(directory.file("a"), O_RDONLY)
        defer { close(old) }
        try write("new", to: "a")
        #expect(read("a") == "new")
        #expect(try self.mode("a") == mode)
        // A reader of the old file can read it to its end.
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(Glibc.read(old, &buffer, buffer.count) == "long before".utf8.count)
        #expect(names == ["a"])
    }

    @Test("A replaced file keeps its group")
    func group() throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try write("old", to: "a")
        try #require(chown(directory.file("a"), .max, 65_534) == 0 && chmod(directory.file("a"), 0o640) == 0)
        try write("new", to: "a")
        var status = stat()
        try #require(stat(directory.file("a"), &status) == 0)
        #expect(status.st_gid == 65_534 && status.st_mode & 0o777 == 0o640)
    }

    @Test("Symbolic links are followed, even to a missing file", arguments: ["old", nil])
    func links(old: String?) throws {
        try #require(mkdir(directory.file("folder"), 0o755) == 0)
        if let old { try write(old, to: "folder/a") }
        try #require(symlink("../inner", directory.file("folder/outer")) == 0)
        try #require(symlink(directory.file("folder/a"), directory.file("inner")) == 0)
        try write("new", to: "folder/outer")
        #expect(read("folder/a") == "new")
        #expect(names == ["folder", "inner"])
        for link in ["folder/outer", "inner"] {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory.file(link)) != "")
        }
    }

    @Test("Circular links are refused")
    func circle() throws {
        try #require(symlink("b", directory.file("a")) == 0)
        try #require(symlink("a", directory.file("b")) == 0)
        let error = #expect(throws: CommandError.self) { try write("new", to: "a") }
        #expect(error?.message.hasSuffix("can't be written: Too many levels of symbolic links") == true)
        #expect(names == ["a", "b"])
    }

    @Test(
        "A link that belongs to another user is not followed, even to a missing file",
        arguments: [true, false])
    func linksOfOthers(isThere: Bool) throws {
        try #require(geteuid() == 0, "this test has to run as root")
        if isThere { try write("old", to: "target") }
        try #require(symlink("target", directory.file("theirs")) == 0)
        try #require(lchown(directory.file("theirs"), 65_534, 65_534) == 0)
        try #require(symlink("theirs", directory.file("ours")) == 0)
        for name in ["theirs", "ours"] {
            let error = #expect(throws: CommandError.self) { try write("new", to: name) }
            #expect(
                error?.message == """
                    \(directory.file(name)) can't be written: the link \(directory.file("theirs")) belongs to user 65534
                    """)
            #expect(error?.status == .output)
        }
        #expect(read("target") == (isThere ? "old" : nil))
    }

    @Test("An empty name and a name that is too long are refused, and nothing is left behind")
    func badNames() throws {
        let empty = #expect(throws: CommandError.self) { try writeAtomically([1], to: "") }
        #expect(empty?.message == "the file's name is empty")
        #expect(empty?.status == .usage)
        let name = String(repeating: "x", count: 256)
        let long = #expect(throws: CommandError.self) { try write("new", to: name) }
        #expect(long?.message == "\(directory.file(name)) can't be written: File name too long")
        #expect(names == [])
    }

    @Test("A pipe is written to, not replaced")
    func pipe() throws {
        try #require(mkfifo(directory.file("pipe"), 0o600) == 0)
        let reader = open(directory.file("pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try write("new", to: "pipe")
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(Glibc.read(reader, &buffer, buffer.count) == "new".utf8.count)
        #expect(names == ["pipe"])
    }

    @Test("Signals are blocked while the file is written")
    func signals() async throws {
        let signals = [SIGINT, SIGTERM, SIGHUP]
        @Sendable func blocked() -> [Int32] {
            var blocked = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &blocked)
            return signals.filter { sigismember(&blocked, $0) == 1 }
        }
        let (during, after) = try await onThread {
            // A new thread inherits the blocked signals.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            return (blockingSignals { blocked() }, blocked())
        }
        #expect(during == signals)
        #expect(after == [])
    }
}
