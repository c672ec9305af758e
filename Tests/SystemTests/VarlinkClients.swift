import Foundation
import TestSupport

/// Programs that speak Varlink and that others wrote. `make test-packages` installs them.
enum VarlinkClients {
    static let python = clients.appending(path: "bin/python").path
    static let go = "/usr/bin/varlink-go-certification"
    static let goGenerator = "/usr/bin/varlink-go-interface-generator"
    static let netcat = "/usr/bin/nc"

    /// Of PyPI's `varlink`.
    static func pythonResource(_ name: String) throws -> String {
        let paths = FileManager.default.enumerator(at: clients, includingPropertiesForKeys: nil)
        while let path = paths?.nextObject() as? URL {
            if path.lastPathComponent == name { return try String(contentsOf: path, encoding: .utf8) }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// A program of the tests in Python.
    static func program(_ name: String) -> String {
        directory.appending(path: "Clients").appending(path: name).path
    }

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    private static let clients = directory.appending(path: "../../.build/clients").standardized
}

extension Machine {
    var address: String { "unix:" + socket }

    /// A command that passes on to userd what it reads.
    var bridge: String { "\(VarlinkClients.python) -m varlink.cli bridge --connect \(address)" }

    /// Starts a program in Python, which is killed with the machine at the latest.
    func startPython(_ arguments: [String]) throws -> ChildProcess {
        try start(VarlinkClients.python, arguments, environment: ["PYTHONUNBUFFERED": "1"])
    }

    func runPython(_ arguments: [String]) async throws -> Finished {
        try await run(VarlinkClients.python, arguments, environment: environment)
    }

    /// The general client of PyPI's `varlink`.
    func varlink(_ arguments: [String]) async throws -> Finished {
        try await runPython(["-m", "varlink.cli"] + arguments)
    }
}
