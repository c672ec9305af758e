import Foundation
import Model
import TestSupport

/// An address book over users that a test can change: a list as userd publishes it, from a web server.
struct AddressBook: Sendable {
    static let user = "ada"
    static let password = "correct-horse-battery-staple"

    let machine: Machine
    let port: Int
    let userd: ChildProcess

    var url: String { "http://127.0.0.1:\(port)/dav/me/books/directory/" }

    /// Starts userd and waits for the users.
    static func serve(
        _ count: Int, on machine: Machine, _ settings: [String: String] = [:]
    ) async throws -> AddressBook {
        let folder = machine.file("list")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let users = (0..<count).map(record)
        try "{\"users\":[\(users.joined(separator: ",\n"))]}\n"
            .write(toFile: folder + "/users.json", atomically: true, encoding: .utf8)
        let server = try machine.startPython(
            ["-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, "0"])
        let line = try await server.line(containing: "Serving HTTP on 127.0.0.1 port ", in: .output)
        let upstream = line.split(separator: " ")[5]
        try writePassword(password, on: machine)
        let port = try freePort()
        let userd = try await machine.startUserd(
            [
                "users.url": "http://127.0.0.1:\(upstream)/users.json", "users.format": "userd",
                "carddav.port": "\(port)",
            ].merging(settings) { $1 })
        try await userd.line(containing: "Serving the address book")
        guard try await machine.sync(.users).count == count else {
            throw WaitedInVain(description: "the users were not synced")
        }
        return AddressBook(machine: machine, port: port, userd: userd)
    }

    static func writePassword(_ password: String, on machine: Machine) throws {
        let folder = machine.file("config/userd")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = folder + "/carddav-password"
        try password.write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
    }

    /// Number 7 is the one whom the clients look up.
    private static func record(_ number: Int) -> String {
        let name =
            number == 7
            ? #"{"first":"Zebediah","last":"Quackenbush"}"#
            : #"{"first":"Björn \#(number)","last":"O'Neill, \#(number % 13)"}"#
        return #"{"id":"user-\#(number)","name":\#(name),"email":"user\#(number)@example.com","#
            + #""phone":"+49 30 555 \#(number)","company":"Beispiel; GmbH","department":"Straßenbau \#(number % 12)","#
            + #""job_title":"Ingenieur\nBüro \#(number)","manager":{"id":"user-0","name":"Ada"},"address":{"city":"Köln"}}"#
    }

    /// A shell command that changes the list upstream by a Python statement, and waits until the book has the change.
    func change(_ statement: String) throws -> String {
        let script = machine.file("change-\(UInt32.random(in: 0 ... .max))")
        // The web server tells changes by seconds.
        let program = """
            import json, os, sys, time
            path = "\(machine.file("list/users.json"))"
            users = json.load(open(path))["users"]
            \(statement)
            old = os.stat(path).st_mtime
            json.dump({"users": users}, open(path, "w"))
            os.utime(path, (old + 2, old + 2))
            """
        try program.write(toFile: script, atomically: true, encoding: .utf8)
        return "\(VarlinkClients.python) \(script) && \(Program.userctl.path) sync users --wait"
    }

    /// Runs a program of Tests/AddressBooks against the book.
    func run(_ program: String, _ count: Int, _ arguments: [String] = []) async throws -> Finished {
        let path = Self.folder.appending(path: program).path
        return try await machine.runPython([path, url, Self.user, Self.password, "\(count)"] + arguments)
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../AddressBooks").standardized
}
