import Foundation
import Model
import Testing
import UserdAPI

@testable import Daemon

@Suite struct AdviceTests {
    @Test("Failures.md has the table of advice, with the same codes and words")
    func article() throws {
        let file = SourceFile.root.appending(path: "Sources/Daemon/userd/userd.docc/Failures.md")
        let article = try String(contentsOf: file, encoding: .utf8)
        let section = try #require(article.split(separator: "\n## Advice\n").dropFirst().first)
            .prefix { $0 != "#" }
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let table = Advice.Kind.allCases.map { "| `\($0.row.code)` | \($0.row.words) |" }
        #expect(rows == table, "the table in the article should be:\n\(table.joined(separator: "\n"))")
    }

    @Test("Codes have small letters, digits and dashes, and a colon if they are about something")
    func codes() throws {
        for kind in Advice.Kind.allCases {
            let (code, words) = kind.row
            #expect(code.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*(:…)?/) != nil, "\(code)")
            #expect(words.contains("…") == code.hasSuffix("…"), "\(code)")
            let failure = Failure(
                kind: .http, message: "no", retryable: false, advice: Advice(kind, about: "a:b"))
            #expect(try decoded(Failure.self, from: encoded(failure)) == failure)
        }
    }

    /// Words change, and upstreams write some of them. A failure has a kind, a status and a code of advice.
    @Test("userctl decides nothing by the words of a message")
    func decisions() throws {
        let decision =
            /(message|reason|brief|withoutAdvice|summary|complaint)[?!]*\.(contains|has[PS]|firstRange|ranges|firstMatch|wholeMatch|starts)/
        for line in ["if failure.message.contains(a) {", "[a].contains(where: failure?.message.contains)"] {
            #expect(line.contains(decision))
        }
        let files = try SourceFile.all().filter { $0.path.hasPrefix("Sources/Client/") }
        let found = files.filter { file in file.lines.contains { $0.contains(decision) } }
        // The words of the reader of the command line, which has no codes.
        #expect(found.map(\.path) == ["Sources/Client/UserctlCommands/Commands/UsageErrors.swift"])
    }

    @Test(
        "A failed check of an upstream has advice by its step, kind and status",
        arguments: [
            (.lookup, .offline, nil, .checkNetwork), (.connection, .timeout, nil, .checkHost),
            (.tls, .tls, nil, .checkCertificate), (.answer, .http, 401, .checkToken),
            (.answer, .http, 403, .checkToken), (.answer, .http, 404, .checkAddress),
            (.answer, .http, 500, .waitForOperator), (.answer, .rateLimited, 429, .wait),
            (.answer, .rateLimited, 503, .waitForOperator),
            (.answer, .redirect, nil, .checkAddress), (.answer, .timeout, nil, .allowMoreTime),
            (.answer, .credentials, nil, .checkSecrets), (.answer, .ldap, nil, .checkLogin),
            (.answer, .decode, nil, .checkUpstream), (.answer, .offline, nil, .tryAgain),
        ] as [(UpstreamStep.Name, Failure.Kind, Int?, Advice.Kind)])
    func general(step: UpstreamStep.Name, kind: Failure.Kind, status: Int?, expected: Advice.Kind) {
        var failure = Failure(kind: kind, message: "Kerberos", retryable: true, httpStatus: status)
        #expect(
            failure.advised(at: step, "users.url").advice == Advice(expected, about: "users.url"))
        failure.advice = Advice(.useHTTPS)
        #expect(failure.advised(at: step, "users.url") == failure)
    }

    @Test("A refusal of another upstream than users.url leads to the origin of the token")
    func otherUpstream() {
        let failure = Failure(kind: .http, message: "no", retryable: false, httpStatus: 401)
        #expect(failure.advised(at: .answer, "facts.url").advice?.kind == .checkTokenOrigin)
    }

    @Test(
        "Failures are the same to a person if kind and status are, and all statuses from 500 on are one",
        arguments: [
            (Failure.Kind.http, 401, Failure.Kind.http, 404, false), (.http, 502, .http, 503, true),
            (.http, 401, .http, 401, true), (.tls, nil, .http, 401, false), (.http, 404, .http, 500, false),
            (.offline, nil, .offline, nil, true), (.rateLimited, 503, .http, 503, false),
        ] as [(Failure.Kind, Int?, Failure.Kind, Int?, Bool)])
    func alike(kind: Failure.Kind, status: Int?, other: Failure.Kind, otherStatus: Int?, isLike: Bool) {
        let failure = Failure(kind: kind, message: "a", retryable: true, httpStatus: status, attempts: 9)
        let next = Failure(kind: other, message: "b", retryable: true, httpStatus: otherStatus)
        #expect(failure.isLike(next) == isLike && next.isLike(failure) == isLike)
    }
}
