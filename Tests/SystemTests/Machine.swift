import DemoUpstream
import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import UserdAPI
import Varlink

/// A machine with userd only: its own directories, and an upstream on loopback.
final class Machine: Sendable {
    let upstream: DemoUpstream
    private let directory: TemporaryDirectory
    private let processes = Mutex<[ChildProcess]>([])

    fileprivate init(_ upstream: DemoUpstream) throws {
        self.upstream = upstream
        directory = try TemporaryDirectory()
        for name in ["run", "cache", "config"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: false)
        }
    }

    func file(_ name: String) -> String { directory.file(name) }
    var socket: String { file("run/userd/userd.sock") }
    var cacheDirectory: String { file("cache/userd") }
    var database: String { cacheDirectory + "/userd.db" }

    /// The whole environment of the programs.
    var environment: [String: String] {
        [
            "HOME": file("home"), "PATH": "/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": file("run"), "XDG_CACHE_HOME": file("cache"),
            "XDG_CONFIG_HOME": file("config"),
        ]
    }

    /// Settings with the machine's upstream, and with so late a retry that the test decides when it comes.
    /// - Parameter settings: additional ones by name, such as `users.page_size`.
    func settings(_ settings: [String: String] = [:]) -> [String: String] {
        let usual = [
            "users.url": upstream.url("/api/"), "facts.url": upstream.url("/facts"),
            "facts.one_url": upstream.url("/fact"), "users.query": "seed=system", "retry.base": "10min",
            "log_level": "debug", "limits.requested_syncs": "none",
        ]
        return usual.merging(settings) { $1 }
    }

    /// The same settings as a command line.
    func arguments(_ settings: [String: String] = [:]) -> [String] {
        self.settings(settings).sorted { $0.key < $1.key }.flatMap { name, value in
            ["--" + String(name.map { $0 == "." || $0 == "_" ? "-" : $0 }), value]
        }
    }

    /// Starts userd and waits until it listens.
    @discardableResult
    func startUserd(
        _ settings: [String: String] = [:], in network: NetworkNamespace? = nil
    ) async throws -> ChildProcess {
        try await startUserd(arguments: arguments(settings), in: network)
    }

    func startUserd(arguments: [String], in network: NetworkNamespace? = nil) async throws -> ChildProcess {
        let userd = try start(.userd, arguments, in: network)
        try await userd.line(containing: "Listening")
        return userd
    }

    /// Starts a program, which is killed at the latest when the machine ends.
    func start(
        _ program: Program, _ arguments: [String], environment: [String: String] = [:],
        in network: NetworkNamespace? = nil
    ) throws -> ChildProcess {
        let (executable, arguments) = network?.command(program.path, arguments) ?? (program.path, arguments)
        return try start(executable, arguments, environment: environment)
    }

    func start(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let process = try ChildProcess(
            executable, arguments, environment: self.environment.merging(environment) { $1 })
        processes.withLock { $0.append(process) }
        return process
    }

    /// Starts the demo upstream as a program of its own.
    /// - Returns: the process, and settings with its addresses by name.
    func startUpstream(
        _ arguments: [String], in network: NetworkNamespace? = nil
    ) async throws -> (process: ChildProcess, settings: [String: String]) {
        let portFile = file("port")
        let process = try start(.demoUpstream, ["--port-file", portFile] + arguments, in: network)
        try await process.line(containing: "listening on http://127.0.0.1:", in: .output)
        let port = try String(contentsOfFile: portFile, encoding: .utf8).prefix { !$0.isNewline }
        let url = "http://127.0.0.1:\(port)"
        return (
            process,
            ["users.url": url + "/api/", "facts.url": url + "/facts", "facts.one_url": url + "/fact"]
        )
    }

    func userctl(_ arguments: [String]) async throws -> Finished {
        try await run(Program.userctl.path, arguments, environment: environment)
    }

    /// Calls a method over the socket. Throws `VarlinkError` and `VarlinkClientError`.
    func call<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters
    ) async throws -> Output {
        try decoded(Output.self, from: try await reply(method, parameters))
    }

    /// Calls a method, and returns the undecoded reply.
    func reply<Parameters, Output>(
        _ method: UserdMethod<Parameters, Output>, _ parameters: Parameters
    ) async throws -> [UInt8] {
        let socket = socket
        return try await onThread {
            try VarlinkClient(path: socket).call(
                method.qualifiedName, parameters: try encoded(parameters), timeout: .seconds(300))
        }
    }

    fileprivate func end() async throws {
        let processes = processes.withLock { $0 }
        for process in processes { process.send(SIGKILL) }
        for process in processes { try await process.ended() }
    }
}

extension Machine {
    /// Syncs and waits for the end.
    func sync(_ resource: Resource) async throws -> State {
        try await only(call(.sync, Sync(resources: [resource], wait: true)))
    }

    func retry(_ resource: Resource) async throws -> State {
        try await only(call(.retry, Retry(resources: [resource], wait: true, now: true)))
    }

    func users() async throws -> [User] {
        var query = ListUsers(limit: 1000)
        var users: [User] = []
        repeat {
            let page = try await call(.listUsers, query)
            users += page.users
            query.cursor = page.next
        } while query.cursor != nil
        return users
    }

    func state(of resource: Resource) async throws -> State {
        try await only(
            States(states: call(.getState, NoParameters()).states.filter { $0.resource == resource }))
    }

    private func only(_ states: States) throws -> State {
        guard let state = states.states.first, states.states.count == 1 else {
            throw WaitedInVain(description: "expected one state, got \(states.states.count)")
        }
        return state
    }
}

/// Runs a test on a machine of its own, and ends all its processes afterwards.
/// - Parameter users: the number of upstream's users; nil for as many as are requested.
func onMachine(users: Int? = nil, _ body: @Sendable (Machine) async throws -> Void) async throws {
    var configuration = DemoUpstream.Configuration()
    configuration.users = users
    // No more than userctl prints without --all.
    configuration.facts = 80
    try await withDemoUpstream(configuration) { upstream in
        let machine = try Machine(upstream)
        do {
            try await body(machine)
        } catch {
            try await machine.end()
            throw error
        }
        try await machine.end()
    }
}
