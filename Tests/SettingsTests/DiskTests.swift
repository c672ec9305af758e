import Glibc
import Platform
import TestSupport
import Testing

@testable import Daemon

struct DiskTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func loader(config name: String) -> SettingsLoader {
        SettingsLoader(
            commandLine: [:], configFile: directory.file(name), environment: [:],
            homeDirectory: directory.path)
    }

    private func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws -> String {
        let path = directory.file(name)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        try #require(fchmod(descriptor, mode) == 0)
        return path
    }

    private func token(_ text: String, mode: mode_t = 0o600) throws -> (
        secret: Secret, warnings: [String]
    ) {
        try Secret.read(.token, fromFile: SecretPath(write(Array(text.utf8), to: "token", mode: mode)))
    }

    @Test func `a configuration file is read from disk`() throws {
        _ = try write(Array("paused: true".utf8), to: "config.yaml")
        #expect(try loader(config: "config.yaml").load().settings.paused)
    }

    @Test func `a configuration file that is a link to nowhere is no file that is not there`() throws {
        try #require(symlink("/nonexistent/config.yaml", directory.file("config.yaml")) == 0)
        #expect(throws: SettingsError.self) { try loader(config: "config.yaml").load() }
        do {
            _ = try loader(config: "config.yaml").load()
        } catch {
            #expect("\(error)".contains("is a link to a missing file"), "\(error)")
        }
    }

    @Test func `a configuration file that grew beyond the limit is not read whole`() throws {
        let path = try write([], to: "large")
        try #require(truncate(path, 1 << 40) == 0)
        #expect(try failure { try loader(config: "large").load() } == "\(path): is larger than 1 MiB")
    }

    @Test func `no file, or one below a file, is none`() throws {
        _ = try write([], to: "file")
        #expect(try SettingsLoader.readFromDisk(directory.file("none")) == nil)
        #expect(try SettingsLoader.readFromDisk(directory.file("file/none")) == nil)
    }

    @Test func `a directory or a FIFO is refused without waiting`() throws {
        let path = directory.file("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        #expect(try failure { try loader(config: "fifo").load() } == "\(path): is not a regular file")
        #expect(try failure { try loader(config: "").load() } == "\(directory.path)/: is a directory")
    }

    @Test func `a file that cannot be opened is an error with the system's reason`() throws {
        let path = directory.file("loop")
        try #require(symlink(path, path) == 0)
        #expect(
            try failure { try loader(config: "loop").load() }
                == "\(path): cannot be read: Too many levels of symbolic links")
    }

    @Test(arguments: ["abc.DEF-1_~+/==", "abc.DEF-1_~+/==\n", "abc.DEF-1_~+/==\r\n"])
    func `a token is read without the newline at its end`(text: String) throws {
        let (token, warnings) = try token(text)
        #expect(token.value == "abc.DEF-1_~+/==")
        #expect(warnings.isEmpty)
    }

    @Test(arguments: Secret.Use.allCases)
    func `a byte order mark is no part of a secret`(use: Secret.Use) throws {
        let path = try write([0xEF, 0xBB, 0xBF] + Array("hunter2-hunter2-hunter2\r\n".utf8), to: "secret")
        #expect(try Secret.read(use, fromFile: SecretPath(path)).secret.value == "hunter2-hunter2-hunter2")
        let blank = try write([0xEF, 0xBB, 0xBF, 0x0A], to: "blank")
        #expect(try failure { try Secret.read(use, fromFile: SecretPath(blank)) }.hasSuffix("is empty"))
    }

    @Test(arguments: [
        "", "\n", "\r\n", "hunter2\n\n", "\nhunter2", "hunter2 ", "Bearer hunter2", "hunter2\t",
        "hunter2\u{0}", "hunter2é",
        "hunter2\nX-Header: y", "hunter2\u{7F}",
    ])
    func `what is no token is refused, and the error shows nothing of it`(text: String) throws {
        let message = try failure { try token(text) }
        #expect(message.hasPrefix("users.token_file: \"\(directory.file("token"))\" "))
        #expect(!message.contains("hunter2"))
    }

    @Test func `a password in another encoding than UTF-8 is an error, and one in UTF-8 is intact`() throws {
        let latin1 = try write(Array("gehe".utf8) + [0xEF, 0x6D], to: "password")
        let message = try failure { try Secret.read(.password, fromFile: SecretPath(latin1)) }
        #expect(message.hasSuffix("is not UTF-8 text"), "\(message)")
        #expect(!message.contains("gehe"))
        let path = try write(Array("geheïm\n".utf8), to: "password")
        #expect(try Secret.read(.password, fromFile: SecretPath(path)).secret.value == "geheïm")
    }

    @Test func `a token file of 64 KiB is read, and no larger one`() throws {
        let text = String(repeating: "a", count: 64 << 10)
        #expect(try token(text).secret.value == text)
        #expect(try failure { try token(text + "a") }.hasSuffix("is larger than 64 KiB"))
    }

    @Test(arguments: [0o640, 0o604, 0o644] as [mode_t])
    func `a token file that others may read is warned about`(mode: mode_t) throws {
        let warnings = try token("hunter2", mode: mode).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("chmod 600") == true)
        #expect(warnings.first?.contains("hunter2") == false)
    }

    @Test
    func `a token file as a service manager puts it there, for its reader alone, is no cause for a warning`()
        throws
    {
        #expect(try token("abc", mode: 0o400).warnings == [])
    }

    @Test func `a token file that is not there is an error that names it`() throws {
        let path = directory.file("none")
        #expect(
            try failure { try Secret.read(.token, fromFile: SecretPath(path)) }
                == "users.token_file: there is no file \"\(path)\"")
    }

    @Test func `a token prints as nothing of itself`() throws {
        let token = try token("hunter2").secret
        #expect(!"\(token) \(String(reflecting: token)) \([token])".contains("hunter2"))
    }
}
