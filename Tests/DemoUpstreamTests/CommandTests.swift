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
            "--client-id", "c", "--client-secret", "s", "--expires-in", "60", "--scim-cursors",
            "--max-page-size", "50",
        ])
        let line = try #require(try firstLine(of: output))
        let ports = try String(contentsOfFile: portFile, encoding: .utf8).split(separator: "\n").compactMap {
            Int($0)
        }
        #expect(line == "listening on http://127.0.0.1:\(ports[0])")
        let connection = try RawConnection(port: ports[0])
        connection.send("/api/")
        let (bytes, end) = await connection.read()
        #expect(try RawResponse(bytes, end).status == 503)
        let control = try RawConnection(port: ports[1])
        control.send("/control/faults")
        let (faults, _) = await control.read()
        #expect(String(decoding: faults, as: UTF8.self).hasSuffix("\r\n\r\n[]"))
        let settingsPort = try RawConnection(port: ports[1])
        settingsPort.send("/control/directory")
        let (settings, _) = await settingsPort.read()
        #expect(
            String(decoding: settings, as: UTF8.self).hasSuffix(
                #"{"client_id":"c","client_secret":"s","expires_in":60,"max_page_size":50,"scim_cursors":true,"token":"t"}"#
            ))
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
        #expect(text.contains("fault: unknown name nix"))
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
