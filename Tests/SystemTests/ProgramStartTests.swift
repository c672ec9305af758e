import Foundation
import Glibc
import Model
import TestSupport
import Testing

/// Tests of what all programs have in common.
@Suite("How programs start", .timeLimit(.hang))
struct ProgramStartTests {
    private static let programs = ["userd", "userctl", "userd-demo-upstream", "userd-manual"]

    /// The path of a program in the build folder.
    private static func path(_ program: String) -> String {
        URL(filePath: Program.userctl.path).deletingLastPathComponent().appending(path: program).path
    }

    /// - Parameter script: a script with the program as `$0`.
    private func shell(_ script: String, _ program: String, on machine: Machine) async throws -> Finished {
        try await run("/bin/sh", ["-c", script, Self.path(program)], environment: machine.environment)
    }

    @Test("With a closed stdout userctl ends with 74, and writes the output nowhere else")
    func closedOutput() async throws {
        try await onMachine { machine in
            try await machine.startUserd()
            _ = try await machine.sync(.users)
            for arguments in ["list", "status --output json", "list --output csv", "watch", "--version"] {
                let result = try await shell("exec \"$0\" \(arguments) >&-", "userctl", on: machine)
                #expect(result.code == 74, "\(arguments)")
                #expect(
                    result.errors.hasPrefix("userctl: the output can't be written: Bad file descriptor\n"),
                    "\(arguments)")
            }
            let result = try await shell("exec \"$0\" nonsense 2>&-", "userctl", on: machine)
            #expect(result.code == 64)
        }
    }

    @Test("Too few descriptors are an error with words; a soft limit is raised")
    func fewDescriptors() async throws {
        try await onMachine { machine in
            let few = try await run(
                "/bin/sh",
                ["-c", "ulimit -n 24; exec \"$0\" \"$@\"", Program.userd.path] + machine.arguments(),
                environment: machine.environment)
            #expect(few.code == 1, "\(few)")
            #expect(few.errors.contains("allows this process 24 open files, but userd needs "), "\(few)")
            let userd = try machine.start(
                "/bin/sh",
                ["-c", "ulimit -Sn 24; exec \"$0\" \"$@\"", Program.userd.path] + machine.arguments())
            try await userd.line(containing: "Listening")
            #expect(try await machine.sync(.users).phase == .loaded)
        }
    }

    @Test("Daemons open no file under the number of a closed standard descriptor")
    func closedDescriptors() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                "/bin/sh",
                ["-c", "exec \"$0\" \"$@\" <&- >&- 2>&-", Program.userd.path] + machine.arguments()
            )
            try await wait { await (try? machine.state(of: .users)) != nil || userd.hasEnded }
            try expectReserved(userd.id)
            #expect(try await machine.sync(.users).phase == .loaded)
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))

            let ports = machine.file("ports")
            let upstream = try machine.start(
                "/bin/sh",
                ["-c", "exec \"$0\" --port-file \(ports) <&- >&- 2>&-", Program.demoUpstream.path])
            try await wait { FileManager.default.fileExists(atPath: ports) || upstream.hasEnded }
            try expectReserved(upstream.id)
        }
    }

    /// Expects each to be /dev/null, opened in the unused direction.
    private func expectReserved(_ process: pid_t) throws {
        for descriptor in 0...2 {
            let link = "/proc/\(process)/fd/\(descriptor)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
            let info = try String(contentsOfFile: "/proc/\(process)/fdinfo/\(descriptor)", encoding: .utf8)
            let flags = info.split(separator: "\n").first { $0.hasPrefix("flags:") }
            let mode = Int32(flags?.split(separator: "\t").last ?? "", radix: 8).map { $0 & O_ACCMODE }
            #expect(mode == (descriptor == 0 ? O_WRONLY : O_RDONLY))
        }
    }

    @Test("Programs end with 74 if help or version can't be written", arguments: programs)
    func fullOutput(program: String) async throws {
        try await onMachine { machine in
            for arguments in ["--help"] + (program.contains("-") ? [] : ["--version"]) {
                for (place, reason) in [
                    (">/dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
                ] {
                    let result = try await shell("exec \"$0\" \(arguments) \(place)", program, on: machine)
                    #expect(result.code == 74, "\(arguments) \(place)")
                    #expect(
                        result.errors.hasPrefix("\(program): the output can't be written: \(reason)\n"),
                        "\(arguments) \(place)")
                }
            }
        }
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            let commandName: String
            let discussion: String?
            let subcommands: [Command]?
        }

        let command: Command
    }

    @Test("Examples in help texts can be pasted, since no line of them is wrapped", arguments: programs)
    func examples(program: String) async throws {
        let dump = try await run(
            Self.path(program), ["--experimental-dump-help"], environment: [:])
        let tool = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8))
        var commands: [(path: [String], command: Dump.Command)] = [([], tool.command)]
        var count = 0
        while let (path, command) = commands.popLast() {
            for subcommand in command.subcommands ?? [] where subcommand.commandName != "help" {
                commands.append((path + [subcommand.commandName], subcommand))
            }
            // Help is 80 columns wide, since the output is no terminal.
            let help = try await run(Self.path(program), path + ["--help"], environment: [:])
            let shown = Set(help.output.split(separator: "\n"))
            let discussion = (command.discussion ?? "").split(
                separator: "\n", omittingEmptySubsequences: false)
            let examples = discussion.drop { $0.lowercased() != "examples:" && $0 != "EXAMPLES" }.dropFirst()
                .prefix { !$0.isEmpty }
            for example in examples {
                #expect(shown.contains(example), "\(path.joined(separator: " ")): \(example)")
            }
            count += examples.count
        }
        #expect(count > 0)
    }
}
