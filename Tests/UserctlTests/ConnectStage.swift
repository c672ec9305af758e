import ArgumentParser
import Foundation
import Glibc
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import YAML

@testable import UserctlCommands

/// What `userd --check-upstream` is given, and its answers, of which the last one stays.
final class Fed: Sendable {
    struct Call {
        let arguments: [String]
        let input: String
        /// The file that is tried.
        let text: String
    }

    private let contents: Mutex<(calls: [Call], answers: [ProgramRun])>

    init(_ answers: [ProgramRun]) { contents = Mutex(([], answers)) }

    var calls: [Call] { contents.withLock { $0.calls } }

    func answer(_ call: Call) -> ProgramRun {
        contents.withLock {
            $0.calls.append(call)
            return $0.answers.count > 1 ? $0.answers.removeFirst() : $0.answers[0]
        }
    }
}

/// A home with a config.yaml, and a userd that answers as the test says.
final class ConnectStage {
    let home: TemporaryDirectory
    let interview: Interview
    let fed: Fed
    /// The socket of a userd.
    var socket: String?

    var path: String { home.file(".config/userd/config.yaml") }
    /// The setting, as YAML.
    var tokenFile: String {
        DiscoveredSetting("users.token_file", home.file(".config/userd/users-token")).yaml
    }
    func text(_ name: String) -> String? {
        try? String(contentsOfFile: home.file(".config/userd/" + name), encoding: .utf8)
    }
    func write(_ text: String, _ name: String) throws {
        try makeFolder()
        try text.write(toFile: home.file(".config/userd/" + name), atomically: true, encoding: .utf8)
    }

    init(_ interview: Interview, _ configuration: String? = nil, trials: [ProgramRun] = [foundUsers()]) throws
    {
        (home, self.interview, fed) = (try TemporaryDirectory(), interview, Fed(trials))
        interview.folder = home.file(".config/userd")
        try makeFolder()
        if let configuration { try write(configuration, "config.yaml") }
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: home.file(".config/userd"), withIntermediateDirectories: true)
    }

    var session: ConnectSession {
        get throws {
            var probes = DoctorProbes.live([:])
            probes.find = { ["userd", "systemctl"].contains($0) ? "/bin/" + $0 : nil }
            let (fed, above) = (fed, home.file(".config/userd"))
            probes.run = { program, arguments, input, _ in
                guard arguments.first == "--check-upstream" else {
                    #expect(arguments.first == (program == "/bin/userd" ? "--check-config" : "--user"))
                    return ProgramRun(code: 0, output: "Id=userd.socket\n\nId=userd.service\n")
                }
                let file = arguments[2]
                let folder = URL(filePath: file).deletingLastPathComponent()
                #expect(folder.deletingLastPathComponent().path == above)
                for (path, mode) in [(folder.path, 0o700), (file, 0o600)] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: path)
                    #expect(attributes[.posixPermissions] as? Int == mode)
                }
                let text = try String(contentsOfFile: file, encoding: .utf8)
                return fed.answer(
                    Fed.Call(arguments: arguments, input: String(decoding: input, as: UTF8.self), text: text))
            }
            let output = Console.Output(send: { _ in })
            return ConnectSession(
                console: Console(
                    environment: ["HOME": home.path], clock: clock, sleep: { _ in }, output: output,
                    errors: output), probes: probes, dialog: interview.dialog,
                file: ConfigurationFile(path: path),
                paths: try PathOptions.parse(socket.map { ["--socket", $0] } ?? []),
                way: try SignInOptions.parse([]))
        }
    }

    /// Plans, tries and writes, as `connect` does before userd reads the file.
    @discardableResult
    func connect(_ directory: DiscoveredDirectory) throws -> ConnectPlan {
        let session = try session
        let plan = try #require(try session.plan(directory, session.file.read()))
        let (tried, _) = try session.tried(plan)
        var former = FormerFiles()
        try session.write(tried, &former)
        return tried
    }
}
