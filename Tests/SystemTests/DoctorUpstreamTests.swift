import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("userctl doctor and upstream", .timeLimit(.hang))
struct DoctorUpstreamTests {
    @Test("doctor reports an unknown host, a closed port and an untrusted authority")
    func unreached() async throws {
        try await onMachine { machine in
            let closed = try RawServer(answer: "")
            closed.stop()
            let authority = try await CertificateAuthority()
            try await withTLSServer(authority.identity(), answer: "") { untrusted in
                let report = try await machine.doctor(settings: [
                    "users.url": "http://userd.invalid/api/", "facts.url": closed.url().absoluteString,
                    "facts.one_url": untrusted.url("/fact").absoluteString,
                ])
                #expect(report.code == 1)
                #expect(
                    Set(report.failed.filter { $0.hasPrefix("upstream.") }) == [
                        "upstream.users.url.lookup", "upstream.facts.url.connection",
                        "upstream.facts.one_url.tls",
                    ])
                let lookup = try #require(report["upstream.users.url.lookup"])
                #expect(lookup.found.hasPrefix("could not find userd.invalid: "))
                #expect(report["upstream.users.url.answer"]?.status == "skipped")
                #expect(
                    report["upstream.facts.url.connection"]?.found
                        == "127.0.0.1:\(closed.port): connection refused")
                #expect(report["upstream.facts.one_url.connection"]?.status == "ok")
                #expect(
                    report["upstream.facts.one_url.tls"]?.found.hasSuffix(
                        "an authority that this machine does not trust: 'userd test authority'") == true)
                #expect(untrusted.received == 0)
            }
        }
    }

    @Test("doctor reports a 500, a 403 and a missing answer, and prints no token")
    func answers() async throws {
        try await onMachine { machine in
            let token = "canary-of-the-token"
            try Data(token.utf8).write(to: URL(filePath: machine.file("token")))
            let forbidden = try RawServer(answer: "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            let silent = try RawServer { $0.waitForEnd() }
            defer { for server in [forbidden, silent] { server.stop() } }
            try await machine.upstream.setFaults([Fault(.status(500), path: "/facts")])
            let settings = [
                "users.url": forbidden.url("/api/").absoluteString + "?key=canary-of-the-query",
                "users.token_file": machine.file("token"),
                "facts.one_url": silent.url("/fact").absoluteString,
                "http.deadline": "5s",
            ]
            let report = try await machine.doctor(settings: settings)
            #expect(report.code == 1)
            let users = try #require(report["upstream.users.url.answer"])
            #expect(users.found == "\(forbidden.url("/api/").absoluteString) answered 403")
            #expect(users.advice.joined().contains("users.token_file"))
            let facts = try #require(report["upstream.facts.url.answer"])
            #expect(facts.found.hasPrefix("\(machine.upstream.url("/facts")) answered 500"))
            #expect(
                report["upstream.facts.one_url.answer"]?.found
                    == "\(silent.url("/fact").absoluteString) has not answered in full after 5.0 seconds: its headers had not arrived"
            )
            #expect(forbidden.requests.contains { $0.contains("Bearer \(token)") })

            let variables = settings.map { name, value in
                ("USERD_" + name.uppercased().replacingOccurrences(of: ".", with: "_"), value)
            }
            let printed = try await run(
                Program.userd.path, ["--check-upstream"],
                environment: machine.environment.merging(variables) { $1 })
            #expect(printed.code == 1)
            #expect(!(printed.output + printed.errors).contains("canary"))
            let checks = try decoded(UpstreamChecks.self, from: Array(printed.output.utf8))
            #expect(checks.upstreams.map(\.setting) == ["users.url", "facts.url", "facts.one_url"])
            #expect(checks.upstreams[0].steps.last?.failure?.httpStatus == 403)
        }
    }

    @Test("doctor reports a clock that differs from upstream's, also through an HTTP cache")
    func clock() async throws {
        try await onMachine { machine in
            func answer(_ headers: String) -> String {
                "HTTP/1.1 200 OK\r\n\(headers)Content-Length: 14\r\n\r\n{\"results\":[]}"
            }
            let behind = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
            let now = "Date: \(httpDate(Date(timeIntervalSinceNow: -600)))\r\n"
            for (headers, status, words) in [
                (behind, "warning", "days ahead of upstream"),
                (now, "warning", "it is 10 min ahead of upstream"),
                (now + "Age: 600\r\n", "ok", "it agrees with upstream"),
                ("Date: yesterday\r\n", "skipped", "no upstream reported the time"),
            ] {
                let server = try RawServer(answer: answer(headers))
                defer { server.stop() }
                let report = try await machine.doctor(settings: ["users.url": server.url().absoluteString])
                #expect(report["upstream.users.url.answer"]?.status == "ok")
                #expect(report["clock"]?.status == status)
                #expect(report["clock"]?.found.hasSuffix(words) == true, "\(report["clock"]?.found ?? "")")
            }
        }
    }

    private func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    @Test("Errors' bodies and names of files are escaped before they reach the terminal")
    func hostile() async throws {
        try await onMachine { machine in
            let hostile = "\u{1B}]52;c;aGk=\u{7}\u{202E}\u{9B}31m"
            let body = #"{"error":"\u001b]52;c;aGk=\u0007\u202e\u009b31m"}"#
            try await machine.upstream.setFaults([Fault(.status(500, body: body), path: "/api")])
            for output in ["table", "json"] {
                let result = try await run(
                    Program.userctl.path,
                    [
                        "doctor", "--output", output, "--socket", machine.file(hostile), "--database",
                        machine.file(hostile + ".db"),
                    ],
                    environment: machine.environment.merging([
                        "USERD_USERS_URL": machine.upstream.url("/api/"),
                        "USERD_FACTS_URL": machine.upstream.url("/facts"),
                        "USERD_FACTS_ONE_URL": machine.upstream.url("/fact"),
                    ]) { $1 })
                #expect(result.code == 1)
                let text = result.output + result.errors
                #expect(text.contains("answered 500: "), "\(text)")
                #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\n") })
                guard output == "table" else { continue }
                // On a terminal C1 controls and bidi overrides count, too.
                #expect(
                    !text.unicodeScalars.contains { $0 == "\u{202E}" || (0x80...0x9F).contains($0.value) })
            }
        }
    }
}
