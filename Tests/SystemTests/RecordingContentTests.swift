import DemoUpstream
import Foundation
import Glibc
import Model
import StrictJSON
import TestSupport
import Testing
import UserdAPI

@Suite("The content of recordings", .timeLimit(.hang))
struct RecordingContentTests {
    @Test("A recording contains the answers of a faulty upstream in HAR 1.2 that another reader accepts")
    func faults() async throws {
        try await onMachine(users: 20) { machine in
            try await machine.upstream.setFaults([Fault(.etag)])
            let record = machine.file("a.har")
            let userd = try await machine.startUserd([
                "record": record, "users.pictures": "thumbnail",
                "users.query": "seed=system&api_key=canary-of-the-key",
            ])
            #expect(try await machine.sync(.users).phase == .loaded)
            try await userd.line(containing: "Pictures fetched")
            #expect(try await machine.sync(.users).phase == .loaded)
            // This sync has been running since the start.
            #expect(try await machine.sync(.facts).phase == .loaded)
            for fault in [
                Fault(.truncate), Fault(.redirect(location: "/api/?results=1")), Fault(.gzip),
                // The last one: no request is sent until its time is over.
                Fault(.status(429, retryAfter: "7")),
            ] {
                try await machine.upstream.setFaults([Fault(fault.kind, path: "/facts")])
                _ = try await machine.sync(.facts)
            }
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))

            let entries = try recordedEntries(record)
            let users = try #require(entries.first { $0.request["url"]?.string?.contains("/api/?") == true })
            let json = String(decoding: try Data(contentsOf: URL(fileURLWithPath: record)), as: UTF8.self)
            #expect(users.request["url"]?.string?.contains("seed=system&api_key=REDACTED") == true)
            #expect(users.status == 200)
            #expect(users.header("etag") != nil)
            #expect(users.text.contains(#""username""#))
            #expect(!json.contains(#/canary|password|salt|md5|sha1|sha256/#))
            #expect(entries.contains { $0.response["content"]?["encoding"]?.string == "base64" })
            #expect(entries.contains { $0.status == 304 })
            let facts = entries.filter { $0.request["url"]?.string?.contains("/facts") == true }
            #expect(
                facts.contains {
                    $0.status == 429 && $0.header("retry-after") == "7"
                        && $0.response["_failure"]?["kind"]?.string == "rate_limited"
                        && $0.response["content"]?["text"] == nil
                })
            #expect(facts.contains { $0.response["_failure"]?["kind"]?.string == "offline" })
            #expect(facts.contains { $0.status == 302 && $0.header("location") != nil })
            #expect(
                facts.contains {
                    $0.header("content-encoding") == "gzip" && $0.text.hasPrefix(#"{"data":[{"fact":"#)
                })
            #expect(mode(record) == 0o600)

            let judged = try await machine.runPython([VarlinkClients.program("har.py"), record])
            #expect(judged.errors == "")
            #expect(judged.outputLines.count == entries.count)
            #expect(!userd.text(.errors).contains("canary"))
        }
    }

    @Test(
        "A raw recording contains everything except the token; a report leaves it out"
    )
    func raw() async throws {
        try await onMachine(users: 20) { machine in
            let record = machine.file("a.har")
            try Data("canary-of-the-token".utf8).write(to: URL(filePath: machine.file("token")))
            let settings = [
                "record": record, "paused": "true", "users.query": "seed=system&api_key=canary-of-the-key",
                "users.token_file": machine.file("token"),
            ]
            let userd = try machine.start(.userd, machine.arguments(settings) + ["--record-raw"])
            try await userd.line(containing: "Listening")
            #expect(try await machine.sync(.users).phase == .loaded)
            let report = try await machine.userctl(["report", "-", "--with-data"])
            #expect(report.code == 0 && report.errors.contains("record_raw"))
            #expect(!report.output.contains(#/canary|"password/#))
            let named = try await machine.userctl(["report", "-", "--recording", record])
            #expect(named.output.contains("password") && !named.output.contains("canary-of-the-token"))
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
            let users = try #require(try recordedEntries(record).first)
            #expect(users.text.contains("password"))
            #expect(users.request["url"]?.string?.contains("api_key=canary-of-the-key") == true)
            #expect(users.response["headers"]?.elements.map(\.count) ?? 0 > 3)
            #expect(mode(record) == 0o600)
            let json = String(decoding: try Data(contentsOf: URL(fileURLWithPath: record)), as: UTF8.self)
            #expect(json.contains("Bearer REDACTED") && !json.contains("canary-of-the-token"))
            let replay = try await machine.startUserd(arguments: ["--replay", record])
            try await replay.line(containing: "End of the recording")
            #expect(try await machine.state(of: .users).count == 20)
            replay.send(SIGTERM)
            #expect(try await replay.ended() == .exited(0))
        }
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        stat(path, &status)
        return status.st_mode & 0o7777
    }
}

struct RecordedEntry {
    var request: JSONValue
    var response: JSONValue

    var status: Int64? { response["status"]?.int }
    var text: String { response["content"]?["text"]?.string ?? "" }

    func header(_ name: String) -> String? {
        response["headers"]?.elements?.first { $0["name"]?.string?.lowercased() == name }?["value"]?
            .string
    }
}

func recordedEntries(_ path: String) throws -> [RecordedEntry] {
    let file = try JSONValue(
        validating: Array(Data(contentsOf: URL(fileURLWithPath: path))), maximumDepth: 16)
    return try #require(file["log"]?["entries"]?.elements).map { entry in
        RecordedEntry(request: try #require(entry["request"]), response: try #require(entry["response"]))
    }
}
