import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Watching clients in Python", .timeLimit(.hang))
struct WatchingClientTests {
    @Test("A Python client resumes its watch after kills of userd, without a gap or a repeat")
    func resumed() async throws {
        try await onMachine { machine in
            let settings = ["paused": "true"]
            var userd = try await machine.startUserd(settings)
            let first = try machine.watch()
            try await first.line(containing: #""resource": "facts""#, in: .output)
            var watched = try first.states
            #expect(watched.map(\.phase) == [.initial, .initial])
            var watch = first
            for round in 1...3 {
                #expect(try await machine.sync(.facts).phase == .loaded)
                try await machine.upstream.setFaults([Fault(.stall, path: "/api")])
                let syncing = try await machine.call(.sync, Sync(resources: [.users])).states
                #expect(syncing.map(\.phase) == [.syncing])
                // In other rounds it is left to chance whether the last transitions have arrived.
                if round == 2 { try await watch.line(containing: #""phase": "syncing""#, in: .output) }
                userd.send(SIGKILL)
                try await userd.ended()
                #expect(try await watch.ended() == .exited(0), "\(watch.text(.errors))")
                if round > 1 { watched += try watch.states } else { watched = try watch.states }

                try await machine.upstream.setFaults([])
                userd = try await machine.startUserd(settings)
                watch = try machine.watch(after: watched.last)
                try await watch.line(containing: #""cause": "interrupted""#, in: .output)
            }
            let last = try await machine.sync(.users)
            try await watch.line(containing: "\"index\": \(last.index),", in: .output)
            watched += try watch.states

            let history = try await machine.call(.history, History(limit: 1000)).states
            #expect(watched.dropFirst(2) == history.reversed()[...])
            // Three rounds of facts, an interrupted sync of users each, and the last one.
            #expect(history.count == 3 * 4 + 2)
            #expect(history.count { $0.cause == .interrupted } == 3)
        }
    }

    @Test("A watch of a removed cache gets SequenceGone with the new sequence, and can start again")
    func gone() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            let old = try await machine.sync(.users)
            userd.send(SIGTERM)
            try await userd.ended()
            try FileManager.default.removeItem(atPath: machine.cacheDirectory)
            try await machine.startUserd(["paused": "true"])
            let new = try await machine.sync(.facts)
            #expect(new.epoch != old.epoch)

            let watch = try machine.watch(after: old)
            #expect(try await watch.ended() == .exited(1))
            #expect(watch.text(.output) == "")
            let error = try JSONSerialization.jsonObject(with: Data(watch.bytes(.errors))) as? NSDictionary
            #expect(
                error == [
                    "error": "io.userd.SequenceGone",
                    "parameters": ["epoch": new.epoch, "oldest": 1, "newest": new.index] as [String: Any],
                ])
            let anew = try machine.watch()
            try await anew.line(containing: #""resource": "facts""#, in: .output)
            #expect(try anew.states == (try await machine.call(.getState, NoParameters()).states))
        }
    }

    @Test("The general client prints states until the daemon ends")
    func general() async throws {
        try await onMachine { machine in
            let userd = try await machine.startUserd(["paused": "true"])
            let watch = try machine.startPython([
                "-m", "varlink.cli", "call", "--more", machine.address + "/io.userd.Watch",
                #"{"resources":["users"]}"#,
            ])
            try await watch.line(containing: #""phase": "initial""#, in: .output)
            #expect(try await machine.sync(.facts).phase == .loaded)
            let last = try await machine.sync(.users)
            try await watch.line(containing: #""phase": "loaded""#, in: .output)
            userd.send(SIGTERM)
            #expect(try await watch.ended() == .exited(1))
            let lines = watch.text(.output).split(separator: "\n").map { $0.drop { $0 == " " } }
            #expect(lines.last == "Connection closed")
            #expect(
                lines.filter { $0.hasPrefix(#""phase""#) } == [
                    #""phase": "initial","#, #""phase": "syncing","#, #""phase": "loaded","#,
                ])
            #expect(lines.contains("\"index\": \(last.index),"))
        }
    }
}

extension Machine {
    /// Starts a program that prints each state as a line.
    fileprivate func watch(after state: State? = nil) throws -> ChildProcess {
        try startPython(
            [VarlinkClients.program("watch.py"), address] + (state.map { ["\($0.index)", $0.epoch] } ?? []))
    }
}

extension ChildProcess {
    fileprivate var states: [State] {
        get throws {
            try text(.output).split(separator: "\n").map { try decoded(State.self, from: Array($0.utf8)) }
        }
    }
}
