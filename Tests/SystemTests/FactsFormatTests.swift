import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

@Suite("Facts are off if a directory is connected", .timeLimit(.hang))
struct FactsFormatTests {
    /// A configuration with the machine's users.
    private func connected(_ machine: Machine, _ facts: String = "") -> String {
        "users: {url: \"\(machine.upstream.url("/api/"))\", query: seed=system}\n\(facts)\n"
    }

    @Test(
        "facts.format defaults to none if any source sets users.url, and no source a setting of facts",
        arguments: [
            ("", [], "catfact  # default"), ("users: {url: \"http://a/\"}", [], "none  # default"),
            ("", ["--users-url", "http://a/"], "none  # default"),
            ("users: {url: \"http://a/\"}\nfacts: {interval: 1h}", [], "catfact  # default"),
            ("users: {url: \"http://a/\"}", ["--facts-interval", "1h"], "catfact  # default"),
            ("users: {url: \"http://a/\"}", ["--facts-format", "catfact"], "catfact  # command line"),
            ("facts: {format: none, url: \"http://a/\"}", [], "none  # file "),
        ])
    func byDefault(_ yaml: String, _ arguments: [String], _ printed: String) async throws {
        try await onMachine { machine in
            try machine.writeConfiguration(yaml + "\n")
            let finished = try await run(
                Program.userd.path, ["--print-config"] + arguments, environment: machine.environment)
            #expect(finished.code == 0, "\(finished.errors)")
            let facts = finished.output.components(separatedBy: "\nfacts:\n").last ?? ""
            #expect(facts.hasPrefix("  format: \(printed)"), "\(facts.prefix(80))")
        }
    }

    @Test("Without facts all commands show only users, and fact says what to set")
    func alone() async throws {
        try await onMachine(users: 5) { machine in
            try machine.writeConfiguration(connected(machine))
            let checked = try await run(
                Program.userd.path, ["--check-upstream"], environment: machine.environment)
            #expect(checked.code == 0, "\(checked.errors)")
            #expect(!checked.output.contains("fact"))
            let userd = try await machine.startUserd(arguments: [])
            let commands = [
                ["wait", "--timeout", "60s"], ["sync", "--wait"], ["retry"], ["status"],
                ["status", "--output", "json"], ["history"], ["pause"], ["resume"],
            ]
            for command in commands {
                let finished = try await machine.userctl(command)
                #expect(finished.code == 0, "\(command): \(finished.errors)")
                let told = finished.output + finished.errors
                #expect(told.firstMatch(of: /(?i)fact/) == nil, "\(command): \(told)")
            }
            let doctor = try await machine.userctl(["doctor", "--all"])
            #expect(doctor.output.contains("Users' sync: 5 users"), "\(doctor.output)")
            #expect(doctor.output.firstMatch(of: /(?i)fact/) == nil, "\(doctor.output)")
            let named = [
                ["fact"], ["fact", "--new"], ["status", "facts"], ["sync", "facts"], ["retry", "facts"],
                ["cancel", "facts"], ["wait", "facts"], ["watch", "facts"], ["status", "facts", "--watch"],
            ]
            for command in named {
                let finished = try await machine.userctl(command)
                #expect(finished.code == 1 && finished.output == "", "\(command): \(finished.output)")
                #expect(finished.errors.contains("set facts.format"), "\(command): \(finished.errors)")
            }
            userd.send(SIGTERM)
            try await userd.ended()
            let left = try await machine.userctl(["status"])
            #expect(left.output.contains("Users"))
            #expect(left.output.firstMatch(of: /(?i)fact/) == nil, "\(left.output)")
            #expect(try await machine.userctl(["fact"]).errors.contains("set facts.format"))
        }
    }

    @Test("A reload turns facts off and on, and keeps the cached ones")
    func reload() async throws {
        try await onMachine(users: 5) { machine in
            let facts = "facts: {url: \"\(machine.upstream.url("/facts"))\"}"
            try machine.writeConfiguration(connected(machine, facts))
            let userd = try await machine.startUserd(arguments: [])
            let count = try await machine.sync(.facts).count
            #expect(count > 10)
            try machine.writeConfiguration(connected(machine))
            try await userd.reload("changed=facts.format, facts.url")
            let state = try await machine.call(.getState, NoParameters())
            #expect(state.states.map(\.resource) == [.users])
            #expect(try await machine.call(.listFacts, ListFacts()).total == count)
            let fact = try await machine.userctl(["fact"])
            #expect(fact.code == 0, "\(fact.errors)")
            #expect(try await machine.userctl(["facts"]).outputLines.count >= count)
            let history = try await machine.userctl(["history", "facts", "--limit", "1"])
            #expect(history.output.contains("turned_off"), "\(history.output)")

            try machine.writeConfiguration(connected(machine, facts))
            try await userd.reload("changed=facts.format, facts.url")
            #expect(try await machine.sync(.facts).phase == .loaded)
            #expect(try await machine.userctl(["fact"]).code == 0)
        }
    }
}
