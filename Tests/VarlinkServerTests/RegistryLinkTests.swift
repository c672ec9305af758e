import Foundation
import Glibc
import TestSupport
import Testing
import VarlinkServer

@Suite struct RegistryLinkTests {
    private let directory: TemporaryDirectory
    private var registry: String { directory.file("run/varlink/registry") }
    private var link: String { registry + "/org.example" }

    init() throws { directory = try TemporaryDirectory() }

    private func make(to socket: String) throws -> RegistryLink {
        try RegistryLink(in: registry, interface: "org.example", to: socket)
    }

    private func destination() throws -> String {
        try FileManager.default.destinationOfSymbolicLink(atPath: link)
    }

    private func put(_ make: () throws -> Void) throws {
        try FileManager.default.createDirectory(atPath: registry, withIntermediateDirectories: true)
        try make()
    }

    @Test(
        "The link leads to the socket, in directories that only the owner can enter, and is removed at the end"
    )
    func made() throws {
        let link = try make(to: directory.file("s"))
        #expect(try destination() == directory.file("s"))
        for name in ["run", "run/varlink", "run/varlink/registry"] {
            var status = stat()
            #expect(stat(directory.file(name), &status) == 0 && status.st_mode == S_IFDIR | 0o700)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: registry) == ["org.example"])
        link.remove()
        #expect(throws: (any Error).self) { try destination() }
    }

    @Test("A relative path of a socket becomes absolute")
    func relative() throws {
        let link = try make(to: "s")
        #expect(try destination() == FileManager.default.currentDirectoryPath + "/s")
        link.remove()
    }

    @Test(
        "Links that lead to no server, or to the same socket, are taken over",
        arguments: ["dead", "gone", "s"])
    func takeOver(target: String) throws {
        if target == "dead" { try deadSocket(at: directory.file(target)) }
        try put { symlink(directory.file(target), link) }
        _ = try make(to: directory.file("s"))
        #expect(try destination() == directory.file("s"))
    }

    @Test("A link to a served socket is left alone, and the error says why")
    func served() throws {
        let other = try Listener(directory.file("other"), backlog: 1)
        try put { symlink(directory.file("other"), link) }
        let error = #expect(throws: RegistryLink.Failure.self) { try make(to: directory.file("s")) }
        #expect(error?.description.contains("other, which another process serves; not replaced") == true)
        #expect(try destination() == directory.file("other"))
        withExtendedLifetime(other) {}
    }

    @Test("A file that is not a link is left alone, and the error says why")
    func file() throws {
        try put { try Data("precious".utf8).write(to: URL(filePath: link)) }
        let error = #expect(throws: RegistryLink.Failure.self) { try make(to: directory.file("s")) }
        #expect(error?.description == "\(link) is not a symbolic link; not replaced")
        #expect(try String(contentsOfFile: link, encoding: .utf8) == "precious")
    }

    @Test("A link to a socket whose server is too busy to take a connection is left alone")
    func busy() throws {
        let other = try Listener(directory.file("other"), backlog: 0)
        let waiting = try RawPeer(directory.file("other"))
        try put { symlink(directory.file("other"), link) }
        let error = #expect(throws: RegistryLink.Failure.self) { try make(to: directory.file("s")) }
        #expect(error?.description.contains("other, which another process serves; not replaced") == true)
        withExtendedLifetime((other, waiting)) {}
    }

    @Test("If the registry or the link can't be created, the error names it with the reason")
    func impossible() throws {
        func failure(_ registry: String, _ interface: String) throws -> RegistryLink.Failure? {
            #expect(throws: RegistryLink.Failure.self) {
                try RegistryLink(in: registry, interface: interface, to: "/s")
            }
        }
        try Data().write(to: URL(filePath: directory.file("file")))
        #expect(
            try failure(directory.file("file/registry"), "org.example")?.description
                == "\(directory.file("file/registry")) can't be created: Not a directory")
        // A name has at most 255 bytes, and the new link ends with the process's number until it is renamed.
        for (length, reason) in [(256, "File name too long"), (255, "can't be created: File name too long")] {
            let name = String(repeating: "x", count: length)
            #expect(try failure(registry, name)?.description == "\(registry)/\(name) \(reason)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: registry) == [])
    }

    @Test("A link that another process has put in place of the server's is not removed")
    func replaced() throws {
        let ours = try make(to: directory.file("s"))
        unlink(link)
        symlink(directory.file("other"), link)
        ours.remove()
        #expect(try destination() == directory.file("other"))
    }
}
