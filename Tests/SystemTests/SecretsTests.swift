import DemoUpstream
import Foundation
import Model
import TestSupport
import Testing
import UserdAPI

@Suite("Secrets in upstream's answers", .timeLimit(.hang))
struct SecretsTests {
    @Test("No password, salt or hash gets into the cache, a temporary file, the log or a reply")
    func secrets() async throws {
        try await onMachine(users: 60) { machine in
            let target = "/api/?seed=system&results=60"
            let served = String(
                decoding: try await fetchBody(port: machine.upstream.port, target), as: UTF8.self)
            let canary = served.replacingOccurrences(
                of: #""password":"[^"]*""#, with: #""password":"canary-of-the-password""#,
                options: .regularExpression)
            let secrets = try secrets(Payload(name: "", text: served)) + ["canary-of-the-password"]
            #expect(secrets.count > 200)
            #expect(canary.contains("canary-of-the-password"))

            let userd = try await machine.startUserd(["users.page_size": "60", "log_level": "trace"])
            #expect(try await machine.sync(.users).phase == .loaded)
            try await machine.upstream.setFaults([Fault(.status(200, body: canary), path: "/api")])
            #expect(try await machine.sync(.users).phase == .loaded)
            // For an unusable record the message names its place, not its content.
            let broken = canary.replacingOccurrences(
                of: #""name":\{[^}]*\}"#, with: #""name":{}"#, options: .regularExpression)
            try await machine.upstream.setFaults([Fault(.status(200, body: broken), path: "/api")])
            #expect(try await machine.sync(.users).failure?.kind == .decode)
            try await machine.upstream.setFaults([
                Fault(.status(200, body: String(canary.dropLast(30))), path: "/api")
            ])
            #expect(try await machine.sync(.users).failure?.kind == .decode)

            var places = try await replies(of: machine)
            for name in try FileManager.default.contentsOfDirectory(atPath: machine.cacheDirectory) {
                let path = machine.cacheDirectory + "/" + name
                places[name] = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            }
            for (name, file) in try openFiles(of: userd) { places[name] = file }
            places["log"] = userd.bytes(.errors)
            #expect(places["userd.db-wal"]?.isEmpty == false)
            for (place, bytes) in places {
                #expect(beginnings(of: secrets, in: bytes) == [], "\(place)")
            }
            // Checks the search itself with text that is not secret.
            let email = try #require(try await machine.users().first?.email)
            let cached = (places["userd.db"] ?? []) + (places["userd.db-wal"] ?? [])
            #expect(beginnings(of: [email], in: cached) == [String(email.prefix(8))])
        }
    }

    /// The salts and hashes below `login`. Passwords may be ordinary words, so a canary replaces them.
    private func secrets(_ payload: Payload) throws -> [String] {
        try payload.records("results").flatMap { record in
            let login = try #require(record["login"] as? [String: Any])
            return ["salt", "md5", "sha1", "sha256"].compactMap { login[$0] as? String }.filter {
                $0.count > 5
            }
        }
    }

    /// The first 8 bytes of each secret found in the bytes.
    private func beginnings(of secrets: [String], in bytes: [UInt8]) -> Set<String> {
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        let wanted = Set(secrets.map { word($0.utf8.prefix(8)) })
        var found: Set<UInt64> = []
        var window: UInt64 = 0
        for byte in bytes {
            window = window << 8 | UInt64(byte)
            if wanted.contains(window) { found.insert(window) }
        }
        return Set(secrets.map { String($0.prefix(8)) }.filter { found.contains(word($0.utf8)) })
    }

    private func replies(of machine: Machine) async throws -> [String: [UInt8]] {
        let key = try #require(try await machine.users().first?.id)
        return [
            "ListUsers": try await machine.reply(.listUsers, ListUsers(limit: 1000)),
            "GetUser": try await machine.reply(.getUser, GetUser(key: key)),
            "GetState": try await machine.reply(.getState, NoParameters()),
            "History": try await machine.reply(.history, History()),
        ]
    }

    /// A process's open files, including temporary files without a name.
    private func openFiles(of process: ChildProcess) throws -> [String: [UInt8]] {
        let folder = "/proc/\(process.id)/fd"
        var files: [String: [UInt8]] = [:]
        for number in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(number)"
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path),
                target.hasPrefix("/"), !target.hasPrefix("/dev/"),
                let data = FileManager.default.contents(atPath: path)
            else { continue }
            files["\(number), \(target)"] = Array(data)
        }
        return files
    }
}
