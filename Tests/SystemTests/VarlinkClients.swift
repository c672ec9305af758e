import Foundation
import TestSupport

/// Varlink programs of other makers. `make test-packages` installs them.
enum VarlinkClients {
    static let python = clients.appending(path: "bin/python").path
    static let go = "/usr/bin/varlink-go-certification"
    static let goGenerator = "/usr/bin/varlink-go-interface-generator"
    static let netcat = "/usr/bin/nc"

    /// A file of PyPI's `varlink`.
    static func pythonResource(_ name: String) throws -> String {
        let paths = FileManager.default.enumerator(at: clients, includingPropertiesForKeys: nil)
        while let path = paths?.nextObject() as? URL {
            if path.lastPathComponent == name { return try String(contentsOf: path, encoding: .utf8) }
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// A Python program of the tests.
    static func program(_ name: String) -> String {
        directory.appending(path: "Clients").appending(path: name).path
    }

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
    private static let clients = directory.appending(path: "../../.build/clients").standardized
}

extension Machine {
    var address: String { "unix:" + socket }

    /// A command that passes its input on to userd.
    var bridge: String { "\(VarlinkClients.python) -m varlink.cli bridge --connect \(address)" }

    /// Starts a Python program, which is killed at the latest when the machine ends.
    func startPython(_ arguments: [String]) throws -> ChildProcess {
        try start(VarlinkClients.python, arguments, environment: ["PYTHONUNBUFFERED": "1"])
    }

    func runPython(_ arguments: [String]) async throws -> Finished {
        try await run(VarlinkClients.python, arguments, environment: environment)
    }

    /// Runs the general client of PyPI's `varlink`.
    func varlink(_ arguments: [String]) async throws -> Finished {
        try await runPython(["-m", "varlink.cli"] + arguments)
    }
}
