import MockDaemon
import Model
import TestSupport
import Testing
import UserdAPI

@testable import Cache
@testable import UserctlCommands

/// Tests the output for programs.
@Suite struct FormatTests {
    private let loaded =
        #""freshness":{"age":1.5,"phase":"loaded","stale":false,"synced_at":"2026-03-04T11:59:58.500Z"}"#
    private let bob = #"{"id":"1","name":{"first":"Bob","last":"Ng"},"address":{},"later":[1]}"#
    private let eve = #"{"address":{"city":"Rom"},"email":"e@f","id":"2","name":{"first":"Eve","last":"O"}}"#

    /// Two pages of one user each.
    private var userd: UserdClient {
        var userd = UserdClient.untouched
        let pages = [
            #"{"users":[\#(bob)],"total":2,"next":"c",\#(loaded)}"#,
            #"{"users":[\#(eve)],"total":2,\#(loaded)}"#,
        ]
        userd.listAllUsers = { _ in .pages(pages) }
        userd.getUser = { [bob, eve, loaded] in
            RawReply(Array(#"{"user":\#($0.key == "1" ? bob : eve),\#(loaded)}"#.utf8), to: .getUser)
        }
        return userd
    }

    private var nobody: UserdClient {
        var userd = UserdClient.untouched
        let none = #"{"users":[],"total":0,\#(loaded)}"#
        userd.listUsers = { _ in RawReply(Array(none.utf8), to: .listUsers) }
        userd.listAllUsers = { _ in .pages([none]) }
        return userd
    }

    @Test func `ndjson has one raw record a line`() async {
        let ended = await userctl("list", "--all", "--output", "ndjson", userd: userd)
        #expect(ended.output == "\(bob)\n\(eve)\n")
        #expect(await userctl("show", "1", "--output", "ndjson", userd: userd).output == bob + "\n")
        #expect(ended.errors == "")
        #expect(ended.code == 0)
    }

    @Test func `ndjson has no line ends in a record, and no controls`() async {
        var userd = UserdClient.untouched
        userd.getUser = { _ in
            RawReply(
                Array(
                    "{\"user\":{\"id\" :\n\"\u{202E}\\n\",\r\n\"name\":{\"first\":\"\",\"last\":\"\"},\"address\":{}},\(loaded)}"
                        .utf8), to: .getUser)
        }
        let record = "{\"id\" :\"\u{202E}\\n\",\"name\":{\"first\":\"\",\"last\":\"\"},\"address\":{}}\n"
        #expect(await userctl("show", "1", "--output", "ndjson", userd: userd).output == record)
        #expect(
            await userctl(["show", "1", "--output", "ndjson"], userd: userd, width: 80).output
                == record.replacing("\u{202E}", with: #"\u202e"#))
    }

    @Test func `csv has one header, and all or the requested columns`() async {
        let all = await userctl("list", "--all", "--output", "csv", userd: userd).output
        #expect(
            all.hasPrefix("id,username,name_title,name_first,name_last,display_name,gender,email,emails,"))
        #expect(all.split(separator: "\r\n").count == 3)
        #expect(
            await userctl(
                "list", "--all", "--output", "csv", "--columns", "email,name,city,born", userd: userd
            ).output
                == "email,name_title,name_first,name_last,address_city,born_at\r\n,,Bob,Ng,,\r\ne@f,,Eve,O,Rom,\r\n"
        )
        #expect(await userctl("list", "--output", "csv", "--columns", "id", userd: nobody).output == "id\r\n")
        #expect(
            await userctl("show", "2", "--output", "csv", userd: userd).output.contains(
                "\r\n2,,,Eve,O,,,e@f,")
        )
    }

    @Test func `vcard is a card for each user`() async {
        let card = await userctl("show", "2", "--output", "vcard", userd: userd).output
        #expect(card.contains("\r\nFN:Eve O\r\n"))
        let cards = await userctl("list", "--all", "--output", "vcard", userd: userd).output
        #expect(cards.hasSuffix("END:VCARD\r\n" + card))
        let none = await userctl("list", "--output", "vcard", userd: nobody)
        #expect(none.output == "" && none.code == 0)
    }

    @Test
    func `a vcard has the picture from the cache file, and userd is not called for it`()
        async throws
    {
        var other = anna
        (other.id, other.picture) = ("other", .init(large: "https://example.com/other.png"))
        let cache = try await CacheFile(users: [anna, other])
        let daemon = try await Cache.live(
            path: cache.path, newEpoch: "e", now: { noon }, random: { $0.lowerBound }
        ) {
            $0.readers = 1
        }
        let url = try #require(anna.picture?.large)
        try await daemon.pictures.keep(
            FoundPicture(
                userID: anna.id, size: .large, url: url,
                picture: FetchedPicture(content: [1, 2, 3], contentType: "image/png")), nil, .max)
        var userd = UserdClient.untouched
        userd.getUser = { [loaded, other] in
            let user = $0.key == anna.id ? anna : other
            return RawReply(
                Array(#"{"user":\#(String(decoding: try encoded(user), as: UTF8.self)),\#(loaded)}"#.utf8),
                to: .getUser)
        }
        func cards(_ key: String, _ database: String) async -> String {
            await userctl("show", key, "--output", "vcard", "--database", database, userd: userd).output
        }
        #expect(await cards(anna.id, cache.path).contains("\r\nPHOTO:data:image/png;base64,AQID\r\n"))
        await daemon.close()
        #expect(await cards(anna.id, cache.path).contains("\r\nPHOTO:data:image/png;base64,AQID\r\n"))
        #expect(await !cards(other.id, cache.path).contains("PHOTO"))
        let without = await cards(anna.id, "/nonexistent/userd.db")
        #expect(without.hasSuffix("END:VCARD\r\n") && !without.contains("PHOTO"))
    }

    @Test func `mutt lists addresses, and ends with 1 if there are none`() async {
        let found = await userctl("search", "x", "--all", "--output", "mutt", userd: userd)
        #expect(found.output == "1 address found\ne@f\tEve O\tRom\n")
        #expect(found.code == 0)
        let sales = User(id: "3", name: .init(first: "Ann", last: "Ek")) {
            ($0.email, $0.jobTitle, $0.department) = ("a@b", "Head", "Sales")
            $0.address.city = "Rom"
        }
        let works = await userctl("show", "3", "--output", "mutt", userd: .mock(users: [sales]))
        #expect(works.output == "1 address found\na@b\tAnn Ek\tHead, Sales\n")
        let none = await userctl("search", "x", "--output", "mutt", userd: nobody)
        #expect(none.output == "0 addresses found\n")
        #expect(none.errors == "")
        #expect(none.code == 1)
        #expect(await userctl("show", "2", "--output", "mutt", userd: userd).code == 0)
        #expect(await userctl("show", "1", "--output", "mutt", userd: userd).code == 1)
    }

    /// Each is a command, and what userd answers.
    @Test(arguments: [
        (["search", "x", "--socket", "/nowhere/s"], "userd is not running, and --socket names no cache"),
        (["list", "--socket", "/nowhere/s"], "userd is not running"),
        (["show", "x", "--socket", "/nowhere/s"], "userd is not running"),
        (["search", "--", "!!"], "“!!” has no letter or digit to search for"),
        (["show", "nobody-at-all"], "no user has the id"),
    ])
    func `mutt's first line says what went wrong, and nothing is written over its screen`(
        arguments: [String], line: String
    ) async {
        let arguments = [arguments[0], "-o", "mutt"] + arguments.dropFirst()
        let userd = arguments.contains("--socket") ? nil : UserdClient.mock(users: [anna])
        let ended = await userctl(arguments, userd: userd)
        #expect(ended.code != 0 && ended.errors == "")
        #expect(ended.output.hasPrefix(line) && ended.output.split(separator: "\n").count == 1)
        #expect(ended.output.hasSuffix("\n"))
        // If there is no first line, the error is on stderr.
        let headless = await userctl([arguments[0], "--no-header"] + arguments.dropFirst(), userd: userd)
        #expect(headless.output == "" && headless.code == ended.code && headless.errors.contains(line))
    }

    @Test func `mutt gets no notices, and with --no-header only addresses`() async throws {
        var userd = UserdClient.untouched
        let stale =
            #"{"users":[\#(eve)],"total":9,"next":"c","freshness":{"age":9000,"phase":"error","stale":true}}"#
        userd.listUsers = { _ in RawReply(Array(stale.utf8), to: .listUsers) }
        let ended = await userctl("search", "x", "-n", "1", "-o", "mutt", userd: userd)
        #expect(ended.output == "1 address found\ne@f\tEve O\tRom\n" && ended.errors == "" && ended.code == 0)
        let headless = await userctl("search", "x", "-n", "1", "-o", "mutt", "--no-header", userd: userd)
        #expect(headless.output == "e@f\tEve O\tRom\n" && headless.errors == "")
    }

    @Test func `facts and history have columns, too`() async throws {
        let facts = await userctl("facts", "--output", "csv", userd: .mock(facts: ["Cats, \"they\" said."]))
        let lines = facts.output.split(separator: "\r\n")
        #expect(lines.first == "id,text,length,first_seen_at")
        #expect(lines.last?.contains(#","Cats, ""they"" said.",18,"#) == true)
        let ndjson = await userctl("facts", "--output", "ndjson", userd: .mock(facts: ["Cats.", "C."]))
        #expect(ndjson.output.split(separator: "\n").count == 2)

        var userd = UserdClient.untouched
        userd.history = { _ in try RawReply(States(states: [failedUsers, loadedFacts]), to: .history) }
        let history = await userctl("history", "--output", "csv", userd: userd)
        #expect(
            history.output == """
                epoch,index,resource,phase,since,cause,count,synced_at,stale,next_sync_at,progress_done,progress_total,\
                failure_kind,failure_message,failure_retryable,failure_http_status,failure_attempts\r
                e,7,users,error,2026-03-04T11:57:00.000Z,failed,5000,2026-03-04T09:00:00.000Z,true,\
                2026-03-04T12:00:42.000Z,,,offline,connection refused,true,,3\r
                e,5,facts,loaded,2026-03-04T11:57:00.000Z,committed,1,2026-03-04T11:57:00.000Z,false,\
                2026-03-04T12:27:00.000Z,,,,,,,\r

                """)
        let states = await userctl("history", "--output", "ndjson", userd: userd).output.split(
            separator: "\n")
        #expect(
            try states.map { try decoded(State.self, from: Array($0.utf8)) } == [failedUsers, loadedFacts])
    }

    @Test func `a fact alone is one line`() async throws {
        let ended = await userctl("fact", "--output", "ndjson", userd: .mock(facts: ["Cats."]))
        #expect(try decoded(Fact.self, from: Array(ended.output.utf8)).text == "Cats.")
    }

    @Test(arguments: ["json", "ndjson"])
    func `watch prints a state a line`(format: String) async throws {
        let asked = Asked<Watch>()
        var userd = UserdClient.untouched
        userd.watch = asked.following([loadedFacts, failedUsers])
        let ended = await userctl(
            ["watch", "--output", format], userd: userd, sleep: { _ in throw CancellationError() })
        let states = try ended.output.split(separator: "\n").map {
            try decoded(State.self, from: Array($0.utf8))
        }
        #expect(states == [loadedFacts, failedUsers])
    }

    @Test(arguments: [
        (["list", "--output", "xml"], "table, json, ndjson, csv, vcard, vcard3, mutt"),
        (["show", "x", "--output", "XML"], "table, json, ndjson, csv, vcard, vcard3, mutt"),
        (["facts", "--output", "vcard"], "table, json, ndjson, csv"),
        (["history", "--output", "mutt"], "table, json, ndjson, csv"),
        (["fact", "--output", "csv"], "table, json, ndjson"),
        (["watch", "--output", "csv"], "table, json, ndjson"),
        (["status", "--output", "csv"], "table, json, ndjson"),
        (["wait", "--output", "ndjson"], "table, json"),
    ])
    func `an unknown format is refused with the known ones`(arguments: [String], choices: String) async {
        let ended = await userctl(arguments)
        #expect(ended.code == 64)
        let words = ended.errors.split { !$0.isLetter && !$0.isNumber }.filter { $0 != "or" && $0 != "and" }
        #expect(words.joined(separator: ", ").contains(choices), "\(ended.errors)")
    }

    @Test(arguments: ["csv", "vcard", "mutt", "ndjson", "json"])
    func `on a terminal no format lets anything through that it obeys`(format: String) async throws {
        let cache = try await CacheFile(users: User.samples)
        let ended = await userctl(
            ["list", "--output", format, "--socket", "/nonexistent", "--database", cache.path], width: 80)
        #expect(ended.code == 0)
        let obeyed = ended.output.unicodeScalars.filter {
            $0 != "\n"
                && ($0.properties.generalCategory == .control || $0.properties.generalCategory == .format)
        }
        #expect(obeyed.allSatisfy { $0 == "\u{200B}" || $0 == "\u{200D}" }, "\(obeyed.map(\.value))")
        #expect(ended.output.contains("O'Brien"))
    }
}
