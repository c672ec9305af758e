import Foundation
import HTTP
import Model
import StrictJSON
import Synchronization
import TestSupport
import Testing
import Upstream
import UserdAPI
import YAML

@testable import Daemon
@testable import LDAP
@testable import UserctlCommands

@Suite("A report that anybody may read has nothing of thirty people")
struct CleanReportTests {
    private static let people = Canaries()

    @Test(
        "It has none of their values after syncs that succeed and that fail, in any format",
        arguments: Answers.all)
    func overHTTP(answers: Answers) async throws {
        let list = answers.list(Self.people)
        let person = Self.people.all(of: 3).joined(separator: " ")
        let quoted = String(decoding: StrictJSON.quoted(person), as: UTF8.self)
        let telling = """
            {"error": {"message": \(quoted), "code": \(quoted)}, "detail": \(quoted), "message": \(quoted), \
            "errorSummary": \(quoted), "error_description": \(quoted), "title": \(quoted), "status": "400"}
            """
        let survey = ListSurvey()
        var told = try await outcome(of: list, answers, survey)
        #expect(survey.shape?.surveyed == 30 && survey.shape?.pages.first?.records == 30)
        #expect(survey.shape?.fields.values.filter { $0.found == 30 }.count ?? 0 > 4)
        let broken: [(String, Int)] = [
            (String(list.prefix(list.count / 2)), 200), (telling, 400), (telling, 403), (telling, 200),
            (person, 401), ("<html><title>\(person)</title>\(person)</html>", 500), (telling, 429),
            (list.replacing("\"\(Self.people.people[2]["id"]!)\"", with: "[\(quoted)]"), 200),
            (list.replacing("\"id\"", with: "\"\(Self.people.people[2]["custom"]!)\""), 200),
            (list.replacing("\"given\"", with: quoted), 200), ("\(quoted)", 200), ("[\(quoted)]", 200),
        ]
        for (body, status) in broken { told += try await outcome(of: body, answers, survey, status: status) }
        #expect(told.count > 8)
        try expectClean(told, survey)
    }

    @Test("It has none of their values after lists over LDAP that succeed and that fail")
    func overLDAP() async throws {
        let people = Self.people
        let fails = Mutex<(entries: Int, code: UInt8)>((30, 0))
        let person = people.all(of: 3).joined(separator: ", ")
        let base = people.filled("ou=$department;,o=$company;,\(FakeDirectory.base)", 0)
        let directory = try FakeDirectory { request in
            let (entries, code) = fails.withLock { $0 }
            guard request.base.hasPrefix("ou=") else {
                return [request.result(request.isBind ? code : 0, person)]
            }
            let all = (0..<entries).map { number in
                request.entry(
                    people.filled("uid=$user;,\(base)", number),
                    people.entry(number).filter { entries == 30 || $0.key != "entryUUID" })
            }
            return all + [request.result(code, "\(base): \(person)")]
        }
        let dn = people.filled("cn=$custom;,\(base)", 5)
        let url = "ldap://127.0.0.1:\(directory.port)/\(base)??sub?(title=\(people.people[4]["job"]!))"
        let survey = ListSurvey()
        var told: [Failure] = []
        for failing: (Int, UInt8) in [
            (30, 0), (30, 1), (30, 3), (0, 10), (0, 32), (2, 0), (0, 34), (0, 50), (0, 49), (0, 19), (0, 53),
        ] {
            fails.withLock { $0 = failing }
            let asked = Asked(try LDAPSettings(url).bound(as: dn))
            var users = asked.users
            users.fetchPage = survey.surveying(users.fetchPage)
            do { _ = try await users.fetchPage(.first, nil) } catch let error as UpstreamError {
                told.append(error.failure)
            }
            if failing == (30, 0) {
                #expect(survey.shape?.surveyed == 30 && survey.shape?.fields["job_title"]?.found == 30)
            }
        }
        #expect(told.count > 7)
        try expectClean(told, survey)
    }

    @Test(
        "However a value came into a message, it does not come out",
        arguments: ["user", "mail", "phone", "number", "born", "latitude"])
    func messages(field: String) throws {
        let value = try #require(Self.people.people[17][field])
        var shown = PublicText()
        let told = Canaries.messages(of: value).flatMap { text in
            [
                "the answer 403: \(text) is no reader", text, "id=\(text)",
                "check-base:\(text.shown(upTo: 200))", "page 7 of \(text), 12",
                "https://\(text)/\(text)/Users?\(text)#\(text)", "\"a\" «\(text)»",
            ].map { shown.message($0) }
        }
        #expect(Self.people.found(in: try StrictJSON.encode(told)) == [], "\(told)")
    }

    @Test("It has none of their values that are in settings")
    func settings() throws {
        let people = Self.people
        let common = """
              url: https://$host;.example/$department;/Users
              query: name=$user;&number=$number;
              fields: {department: /$custom;/$department;, city: [/$city;]}
              skip: {/$custom;: $job;}
              records: /$custom;
              token_file: /home/$user;/$company;
              headers: {X-$custom;: "$number;", X-Name: {file: /home/$user;/key}}
            http: {ca_file: "/etc/ssl/$company;.pem", proxy: "http://$user;:$number;@$host;.example:3128", no_proxy: "$host;.example"}
            record: /home/$user;/$company;.har
            """
        let others = [
            "users:\n" + common,
            """
            users:
              format: ldap
              url: ldaps://$host;.example/ou=$department;,o=$company;??sub?(title=$office;)
              bind_dn: cn=$given; $family;,ou=$department;
              password_file: /home/$user;/$company;
            """,
            """
            users:
              format: graph
              url: https://$host;.example/$department;
              body: {filter: {name: $given;, number: $number;}}
              basic: {user: "$number;", password_file: /home/$user;/$company;}
            """,
            """
            users:
              format: graph
              url: https://$host;.example/$department;
              oauth:
                issuer: https://$host;.example/$department;
                client_id: $number;
                scope: $number; $custom;
                parameters: {login_hint: $mail;}
            """,
        ]
        var report = BugReport(made: today, versions: .init(userctl: "1", system: "Linux"))
        for (number, file) in others.enumerated() {
            let text = people.filled(file, number)
            let loaded = try SettingsLoader(
                commandLine: [:], configFile: "/etc/config.yaml", environment: [:],
                homeDirectory: people.filled("/home/$user;", number),
                readFile: { $0 == "/etc/config.yaml" ? Array(text.utf8) : nil }
            ).load()
            report.printedSettings += loaded.printed().split(separator: "\n").map(String.init)
        }
        #expect(people.found(in: try report.har(with: nil)).count > 20)
        #expect(people.found(in: try report.published()) == [])
        #expect(
            String(decoding: try report.published(), as: UTF8.self).contains(
                "url: \\\"https://host1.example/…/Users\\\""))
    }

    @Test(
        "A person's text in a report is found, however it is written",
        arguments: ["user", "phone", "mail", "number", "born"])
    func sensitive(field: String) throws {
        let value = try #require(Self.people.people[11][field])
        for text in [value] + Canaries.messages(of: value).dropLast(3) {
            let told = try StrictJSON.encode(["told": "page 7 of \(text), 12"])
            #expect(!Self.people.found(in: told).isEmpty, "\(text)")
        }
    }

    private func outcome(
        of body: String, _ answers: Answers, _ survey: ListSurvey, status: Int = 200
    ) async throws -> [Failure] {
        let link = Self.people.filled("<https://$host;.example/$user;?after=$id;>; rel=\"next\"", 8)
        let headers: HTTPHeaders = [
            "Link": link, "WWW-Authenticate": Self.people.filled("Basic realm=\"$company; $family;\"", 8),
            "Location": Self.people.filled("https://$host;.example/$user;", 8),
            "Server": Self.people.people[8]["custom"]!,
        ]
        let url = try #require(
            URL(string: Self.people.filled("https://$host;.example/$department;/Users", 9)))
        var format = try #require(try DirectoryFormat.named(answers.name))
        if let yaml = answers.yaml { try format.override("fields", yaml) }
        var service = UsersService.live(
            .users(
                format,
                UpstreamSettings(url: url, query: Self.people.filled("name=$given;", 9), pageSize: 30),
                now: { today }),
            transport: HTTPTransport { _ in
                HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
            },
            now: { today })
        service.fetchPage = survey.surveying(service.fetchPage)
        do {
            let page = try await service.fetchPage(.first, nil)
            let unread = page.unread
            let texts =
                [page.more, unread.reason, unread.refusal(distinct: 0)?.failure.message] + unread.tooLong
                + page.hints
            return texts.compactMap(\.self).map { Failure(kind: .decode, message: $0, retryable: true) }
        } catch let error as UpstreamError {
            return [error.failure]
        }
    }

    /// Expects nothing of people in a report with these failures wherever it has texts.
    private func expectClean(_ failures: [Failure], _ survey: ListSurvey) throws {
        var report = BugReport(made: today, versions: .init(userctl: "1", system: "Linux"))
        report.list = survey.shape
        var check = UpstreamCheck(
            setting: "users.url", address: Self.people.filled("https://$host;/$user;", 1))
        check.sample = UsersSample(records: 30, unread: Self.people.all(of: 1))
        for failure in failures {
            var state = State(
                epoch: "1", index: 1, resource: .users, phase: .error, since: today, cause: .failed, count: 0,
                stale: true)
            state.failure = failure
            report.states.append(state)
            report.log.lines.append(
                "2026-01-02T03:04:05+0000 error userd: error=\(failure.message) [Sync] Failed")
            check.steps.append(UpstreamStep(.answer, failure: failure, milliseconds: 1))
            let subject = CheckSubject(name: "users", title: "Users")
            report.checks.append(subject.failed(failure.message, failure.message))
        }
        report.upstreams = UpstreamChecks(upstreams: [check])
        // The report as it is has them, so that this can fail.
        let last = failures.map(\.message).joined().suffix(2000)
        #expect(!Self.people.found(in: try StrictJSON.encode(String(last))).isEmpty)
        let published = try report.published()
        let found = Self.people.found(in: published)
        #expect(found == [], "\(String(decoding: published, as: UTF8.self))")
    }
}

extension DirectoryFormat {
    fileprivate mutating func override(_ name: String, _ yaml: String) throws {
        let node = try #require(try YAMLNode.document(Array(yaml.utf8)))
        try override(name, with: node, fields: UserField.all.map(\.name))
    }
}

extension Canaries {
    /// The attributes of a person's entry.
    fileprivate func entry(_ person: Int) -> [String: String] {
        [
            "entryUUID": "id", "uid": "user", "givenName": "given", "sn": "family", "cn": "display",
            "personalTitle": "honorific",
            "title": "job", "department": "department", "company": "company", "employeeNumber": "number",
            "mail": "mail",
            "telephoneNumber": "phone", "mobile": "cell", "street": "street", "l": "city", "st": "state",
            "postalCode": "post",
            "co": "country", "physicalDeliveryOfficeName": "office", "description": "custom",
        ].mapValues { people[person][$0] ?? "" }.merging(["manager": filled("uid=$boss;,ou=$chief;", person)])
        { $1 }
    }
}
