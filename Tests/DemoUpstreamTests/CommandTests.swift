import Foundation
import TestSupport
import Testing

@Suite struct CommandTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func itSaysWhereItListensAndEndsWellBySignal(signal: Int32) async throws {
        let directory = try TemporaryDirectory()
        let portFile = directory.file("port")
        let (process, output) = try launch([
            "--users", "5", "--port-file", portFile, "--fault", "status,status=503,times=1", "--token", "t",
        ])
        let line = try #require(try firstLine(of: output))
        let port = try #require(Int(String(contentsOfFile: portFile, encoding: .utf8).dropLast()))
        #expect(line == "listening on http://127.0.0.1:\(port)")
        for status in [503, 401] {
            let connection = try RawConnection(port: port)
            connection.send("/scim/v2/Users")
            let (bytes, end) = await connection.read()
            #expect(try RawResponse(bytes, end).status == status)
        }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
    }

    @Test func aBadFaultStopsTheStartWithTheReason() throws {
        let (process, output) = try launch(["--fault", "nix"])
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus != 0)
        #expect(text.contains("nix is not a fault"))
    }

    private func launch(_ arguments: [String]) throws -> (Process, Pipe) {
        let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = Process()
        process.executableURL = products.appending(path: "userd-demo-upstream")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return (process, output)
    }

    private func firstLine(of pipe: Pipe) throws -> String? {
        var text = Data()
        while !text.contains(UInt8(ascii: "\n")), let more = try pipe.fileHandleForReading.read(upToCount: 1)
        {
            text += more
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n").first.map(String.init)
    }
}
