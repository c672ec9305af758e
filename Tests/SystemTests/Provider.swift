import Foundation
import Glibc
import Model
import TestSupport
import Testing

/// A provider of OAuth by other makers, a list of users that takes its tokens alone, and somebody with a browser. They are
/// programs in Tests/Providers; `make test-packages` installs what they need.
struct Provider {
    let machine: Machine
    let server: ChildProcess
    let told: Told
    let list: List

    /// The lines with which the programs begin.
    struct Told: Decodable {
        var issuer: String
        var port: Int
        var revocationEndpoint: String
        var nativeClientID: String
        var redirectPorts: [Int]?

        enum CodingKeys: String, CodingKey {
            case issuer, port
            case revocationEndpoint = "revocation_endpoint"
            case nativeClientID = "native_client_id"
            case redirectPorts = "redirect_ports"
        }
    }
    struct List: Decodable {
        var users: String
        var port: Int
    }
    /// A request to the list.
    struct Request: Decodable {
        var path, token: String
        var status: Int
    }

    /// Starts one of the programs, and returns the line with which it begins.
    static func start(
        _ machine: Machine, _ program: String, _ arguments: [String]
    ) async throws -> (process: ChildProcess, line: Data) {
        let process = try machine.start(VarlinkClients.python, [Self.program(program)] + arguments)
        return (process, Data(try await process.line(containing: "{", in: .output).utf8))
    }

    /// The folder with the unpacked glewlwyd.
    static let glewlwyd = URL(filePath: #filePath).appending(path: "../../../.build/glewlwyd").standardized
        .path

    private static func program(_ name: String) -> String {
        URL(filePath: #filePath).appending(path: "../../Providers/\(name)").standardized.path
    }

    /// A program for a user who may not read these files.
    static func text(of name: String) throws -> String {
        try String(contentsOfFile: program(name), encoding: .utf8)
    }

    init(
        on machine: Machine, _ program: String = "provider.py", _ options: [String] = [], users: Int = 60,
        delay: Double = 0
    ) async throws {
        self.machine = machine
        let (server, line) = try await Self.start(machine, program, options)
        self.server = server
        told = try JSONDecoder().decode(Told.self, from: line)
        let file = machine.file("provider.json")
        try line.write(to: URL(filePath: file))
        let (_, own) = try await Self.start(
            machine, "directory.py",
            ["--provider", file, "--users", "\(users)", "--delay", "\(delay)"]
                + (program == "glewlwyd.py" ? ["--trusting"] : []))
        list = try JSONDecoder().decode(List.self, from: own)
        try FileManager.default.createDirectory(
            atPath: machine.file("browser"), withIntermediateDirectories: true)
        try writeScript(
            "exec \(VarlinkClients.python) \(Self.program("approve.py")) \"$1\"",
            to: machine.file("browser/xdg-open"))
    }

    /// Settings of a userd whose person signs in here.
    func settings(_ more: [String: String] = [:]) -> [String: String] {
        let usual = [
            "users.format": "scim", "users.url": list.users, "users.query": "", "users.page_size": "20",
            "users.interval": "1s", "users.oauth.issuer": told.issuer,
            "users.oauth.client_id": told.nativeClientID, "users.oauth.scope": "openid users.read",
            "retry.base": "200ms", "retry.cap": "1s",
        ]
        return usual.merging(more) { $1 }
    }

    /// Runs `userctl` beside the browser.
    /// - Parameter answer: what the person says at the provider: `approve`, `deny`, or `close` to close the browser.
    func userctl(
        _ arguments: [String], answer: String = "approve", environment: [String: String] = [:]
    ) async throws -> Finished {
        try await run(
            Program.userctl.path, arguments,
            environment: machine.environment.merging([
                "PATH": machine.file("browser") + ":/usr/bin:/bin", "PERSON_ANSWER": answer,
            ]) { $1 }.merging(environment) { $1 })
    }

    /// Opens an address as the person, elsewhere.
    /// - Parameter code: what they enter there.
    func visit(_ address: String, code: String? = nil) async throws {
        let person = try await run(
            VarlinkClients.python,
            [Self.program("approve.py"), address] + (code.map { ["--user-code", $0] } ?? []), environment: [:]
        )
        guard person.code == 0 else { throw WaitedInVain(description: "\(person)") }
    }

    /// What was asked of the list so far, except whether it can page by cursors.
    func requests() async throws -> [Request] {
        try JSONDecoder().decode([Request].self, from: Data(try await fetchBody(port: list.port, "/log")))
            .filter { !$0.path.hasSuffix("/ServiceProviderConfig") }
    }

    /// The tokens in a userd's file.
    /// - Parameter folder: the folder that userd keeps them in.
    func tokens(in folder: String = ".local/state/userd-tokens") -> [String] {
        struct Tokens: Decodable {
            var access, refresh: String
            enum CodingKeys: String, CodingKey {
                case access = "access_token"
                case refresh = "refresh_token"
            }
        }
        guard let saved = FileManager.default.contents(atPath: machine.file("home/\(folder)/users.json")),
            let tokens = try? JSONDecoder().decode(Tokens.self, from: saved)
        else { return [] }
        return [tokens.access, tokens.refresh]
    }

    /// Withdraws the person's refresh token, as an administrator does.
    func revoke() async throws {
        let request =
            "import sys, urllib.request as web; "
            + "web.build_opener(web.ProxyHandler({})).open(sys.argv[1], sys.argv[2].encode())"
        let form = "token=\(try #require(tokens().last))&client_id=\(told.nativeClientID)"
        let revoked = try await run(
            VarlinkClients.python, ["-c", request, told.revocationEndpoint, form], environment: [:])
        try #require(revoked.code == 0, "\(revoked)")
    }
}
