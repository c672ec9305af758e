import DemoUpstream
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@Suite("The address book", .timeLimit(.hang))
struct AddressBookTests {
    @Test("The rules that clients enforce hold, and what clients sent is answered as they expect")
    func conformance() async throws {
        try await onMachine { machine in
            let book = try await AddressBook.serve(60, on: machine, ["log_level": "debug"])
            let recorded = AddressBook.folder.appending(path: "recorded").path
            let result = try await book.run("conformance.py", 60, ["--recorded", recorded, "--quiet"])
            #expect(result.code == 0, "\(result.output)\(result.errors)")
            #expect(result.output.contains("FAIL=0"))
            // A card's path is a person's id.
            let log = book.userd.text(.errors)
            #expect(log.contains("/dav/me/books/directory/") && !log.contains(".vcf"))
        }
    }

    @Test("vdirsyncer and khard get all cards once, then only changes, and can't write")
    func vdirsyncer() async throws {
        try await onMachine { machine in
            let book = try await AddressBook.serve(60, on: machine)
            let result = try await book.run(
                "client_vdirsyncer.py", 60,
                [
                    "--change", try book.change("users[20]['job_title'] = 'Changed'"),
                    "--remove", try book.change("kept = users.pop(30)"),
                    "--add",
                    try book.change("users.append({'id': 'new', 'name': {'first': 'N', 'last': 'Ew'}})"),
                ])
            #expect(result.code == 0, "\(result.output)\(result.errors)")
            #expect(result.output.contains("ok vdirsyncer"))
        }
    }

    @Test("Another user's connection is closed before it is read, and one's own is answered")
    func otherUser() async throws {
        try #require(geteuid() == 0, "this test has to run as root")
        try await onMachine { machine in
            let book = try await AddressBook.serve(3, on: machine)
            for path in ["/usr/bin/env", "/usr/bin/setpriv", "/usr/bin/env"] {
                let isOther = path.hasSuffix("setpriv")
                let prefix = isOther ? ["--reuid=65534", "--regid=65534", "--clear-groups"] : []
                let result = try await run(
                    path, prefix + ["/usr/bin/python3", "-c", Self.options, "\(book.port)"],
                    environment: machine.environment)
                #expect(result.output == (isOther ? "closed\n" : "HTTP/1.1 200 OK\n"), "\(result.errors)")
            }
        }
    }

    /// Prints the first line of an answer, `closed` or `refused`.
    static let options = """
        import socket, sys
        try: peer = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        except ConnectionRefusedError: sys.exit(print("refused"))
        received = b""
        try:
            peer.sendall(b"OPTIONS / HTTP/1.1\\r\\nHost: 127.0.0.1:%d\\r\\nConnection: close\\r\\n\\r\\n" % int(sys.argv[1]))
            while chunk := peer.recv(65536): received += chunk
        except (ConnectionResetError, BrokenPipeError): pass
        print(received.decode().split("\\r\\n")[0] or "closed")
        """

    @Test("enable, disable and a reload of the settings, where userd was started by hand")
    func byHand() async throws {
        try await onMachine(users: 40) { machine in
            let config = machine.file("config/userd/config.yaml")
            try FileManager.default.createDirectory(
                atPath: machine.file("config/userd"), withIntermediateDirectories: true)
            let first = "users:\n  url: \(machine.upstream.url("/api/"))\n  page_size: 40\n"
            try first.write(toFile: config, atomically: true, encoding: .utf8)
            let userd = try await machine.startUserd(arguments: ["--paused"])
            #expect(try await machine.userctl(["carddav"]).code == 1)

            let enabled = try await machine.userctl(["carddav", "enable", "--yes", "--evolution"])
            #expect(enabled.code == 0, "\(enabled.errors)")
            let access = try await JSONDecoder().decode(
                [String: String].self,
                from: Data(machine.userctl(["carddav", "-o", "json"]).output.utf8))
            let (url, password) = (try #require(access["url"]), try #require(access["password"]))
            #expect(enabled.output.contains(url))
            let file = machine.file("config/userd/carddav-password")
            #expect(
                try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
            let source = machine.file("config/evolution/sources/userd.source")
            let port = try #require(URL(string: url)?.port)
            #expect(try String(contentsOfFile: source, encoding: .utf8).contains("Port=\(port)\n"))
            // An empty list would have clients remove all cards.
            #expect(try await machine.cards(url, password) == -503)
            _ = try await machine.sync(.users)
            #expect(try await machine.cards(url, password) == 40)

            // Again: nothing changes.
            let again = try await machine.userctl(["carddav", "enable", "--yes"])
            #expect(again.code == 0 && again.output == enabled.output, "\(again.errors)")

            var text = try String(contentsOfFile: config, encoding: .utf8)
            text += "  search: Bradley\n  max_users: 20\n"
            try text.write(toFile: config, atomically: true, encoding: .utf8)
            userd.send(SIGHUP)
            try await userd.line(containing: "carddav.search")
            let found = try await machine.userctl(["search", "Bradley", "-o", "ndjson"]).outputLines.count
            try #require(found > 0)
            try await wait { try await machine.cards(url, password) == found }

            try text.replacing("  search: Bradley\n", with: "").write(
                toFile: config, atomically: true, encoding: .utf8)
            userd.send(SIGHUP)
            try await wait { try await machine.cards(url, password) == -507 }
            let doctor = try await machine.userctl(["doctor", "--offline"])
            #expect(doctor.output.contains("40 users, but carddav.max_users is 20"), "\(doctor.output)")

            let disabled = try await machine.userctl(["carddav", "disable"])
            #expect(disabled.code == 0, "\(disabled.errors)")
            #expect(
                try String(contentsOfFile: config, encoding: .utf8) == first + "carddav:\n  max_users: 20\n")
            for path in [file, source] { #expect(!FileManager.default.fileExists(atPath: path)) }
            try await wait { try await machine.cards(url, password) == 0 }
        }
    }

    @Test("Whatever a stranger sends before the password, little of it is kept, and the book is served")
    func flood() async throws {
        try await onMachine { machine in
            let book = try await AddressBook.serve(20, on: machine)
            // The first requests fill caches that stay.
            #expect(try await machine.cards(book.url, AddressBook.password) == 20)
            let result = try await machine.runPython(
                [AddressBook.folder.appending(path: "flood.py").path, book.url, "\(book.userd.id)"])
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.outputLines.count == 14)
            for line in result.outputLines {
                let growth = line.split(separator: " ").first.flatMap { Int($0) }
                #expect(try #require(growth) < 64, "MiB added, MiB sent: \(line)")
            }
            #expect(try await machine.cards(book.url, AddressBook.password) == 20)
        }
    }

    @Test("A socket for the book that other machines can reach is told, and all else is served")
    func reachable() async throws {
        try await onMachine { machine in
            try FileManager.default.createDirectory(
                atPath: (machine.socket as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            let passed = machine.environment.filter { $0.key.hasPrefix("XDG") }.flatMap {
                ["-E", "\($0.key)=\($0.value)"]
            }
            let userd = try machine.start(
                "/usr/bin/systemd-socket-activate",
                [
                    "--listen=\(machine.socket)", "--listen=0.0.0.0:\(try freePort())",
                    "--fdname=varlink:carddav",
                ]
                    + passed + [Program.userd.path] + machine.arguments())
            try await userd.line(containing: "Listening on")
            #expect(try await machine.sync(.users).phase == .loaded)
            try await userd.line(containing: "the socket does not listen at 127.0.0.1 alone")
        }
    }

    @Test(
        "A passed socket is answered with the reason where there is no book, also beside a stand-in",
        arguments: [
            ([:], "carddav.port is not set"), (["carddav.port": "1025"], "but carddav.port is 1025"),
            (["carddav.port": "own"], "carddav-password"), (["carddav.port": "own", "mock": "data"], "mock"),
            (["carddav.port": "own", "carddav.search": "…"], "carddav.search has no letter"),
        ])
    func refused(settings: [String: String], reason: String) async throws {
        try await onMachine { machine in
            if reason != "carddav-password" {
                try AddressBook.writePassword(AddressBook.password, on: machine)
            }
            try FileManager.default.createDirectory(
                atPath: (machine.socket as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            let port = try freePort()
            let passed = machine.environment.filter { $0.key.hasPrefix("XDG") }.flatMap {
                ["-E", "\($0.key)=\($0.value)"]
            }
            let userd = try machine.start(
                "/usr/bin/systemd-socket-activate",
                ["--listen=\(machine.socket)", "--listen=127.0.0.1:\(port)", "--fdname=varlink:carddav"]
                    + passed
                    + [Program.userd.path]
                    + machine.arguments(settings.mapValues { $0 == "own" ? "\(port)" : $0 }))
            try await userd.line(containing: "Listening on")
            // Its connection waits, starts userd, and is answered.
            let url = "http://127.0.0.1:\(port)/dav/me/books/directory/"
            #expect(try await machine.cards(url, AddressBook.password) == -503)
            let doctor = try await machine.userctl(["doctor", "--offline"])
            if settings["carddav.port"] == "own" {
                #expect(doctor.output.contains("no address book at port \(port)"), "\(doctor.output)")
                #expect(doctor.output.contains(reason), "\(doctor.output)")
            }
            let line = try await userd.line(containing: "The address book is not served")
            #expect(line.contains(reason), "\(line)")
            userd.send(SIGTERM)
            #expect(try await userd.ended() == .exited(0))
        }
    }

    @Test("Beside a stand-in no port is opened", arguments: ["mock", "replay"])
    func standIn(name: String) async throws {
        try await onMachine { machine in
            try AddressBook.writePassword(AddressBook.password, on: machine)
            let port = try freePort()
            let book = ["carddav.port": "\(port)"]
            if name == "replay" {
                let recorded = try await machine.startUserd(
                    book.merging(["record": machine.file("r.har")]) { $1 })
                _ = try await machine.sync(.users)
                recorded.send(SIGTERM)
                #expect(try await recorded.ended() == .exited(0))
            }
            let userd = try await machine.startUserd(
                book.merging([name: name == "mock" ? "data" : machine.file("r.har")]) { $1 })
            #expect(try await machine.cards("http://127.0.0.1:\(port)/", AddressBook.password) == 0)
            userd.send(SIGHUP)
            try await userd.line(containing: "Settings read again")
            #expect(try await machine.cards("http://127.0.0.1:\(port)/", AddressBook.password) == 0)
        }
    }

    @Test("Hostile clients change nothing for the others")
    func hostile() async throws {
        try await onMachine { machine in
            let book = try await AddressBook.serve(200, on: machine)
            let result = try await book.run("hostile.py", 200)
            #expect(result.code == 0, "\(result.output)\(result.errors)")
            #expect(try await machine.state(of: .users).count == 200)
        }
    }
}

extension Machine {
    /// The number of cards in a book; 0 if nobody listens, or the server is being replaced, and another status than 207 as a negative number.
    func cards(_ url: String, _ password: String) async throws -> Int {
        let program = """
            import base64, http.client, sys, urllib.parse
            url = urllib.parse.urlsplit(sys.argv[1])
            book = http.client.HTTPConnection(url.netloc, timeout=60)
            token = base64.b64encode(b"a:" + sys.argv[2].encode()).decode()
            try:
                book.request("PROPFIND", url.path, headers={"Depth": "1", "Authorization": "Basic " + token})
                answer = book.getresponse()
                text = answer.read().decode()
            except ConnectionError: sys.exit(print(0))
            print(text.count(".vcf</href>") if answer.status == 207 else -answer.status)
            """
        let result = try await run(
            "/usr/bin/python3", ["-c", program, url, password], environment: environment)
        guard let count = result.outputLines.first.flatMap({ Int($0) }) else {
            throw WaitedInVain(description: result.errors)
        }
        return count
    }
}
