import Foundation
import Synchronization
import TestSupport

/// Answers as Graph or Google do. Tokens are t1, t2 and so on; a second page is l1 or, of changes, c1.
final class HTTPDirectory: Sendable {
    struct Content {
        typealias Answer = (status: Int, body: String)
        /// Pages of people, as JSON.
        var list: [[String]]
        /// Pages of people who changed.
        var changes: [[String]] = []
        /// Answers to the next requests of changes.
        var refusals: [Answer] = []
        /// A page of changes that does not come.
        var stalledPage: Int?
        /// The number of pages of changes before each token.
        var tokens: [Int] = []
        var requests: [String] = []
    }

    private final class Shared: Sendable {
        let content: Mutex<Content>

        init(_ list: [[String]]) { content = Mutex(Content(list: list)) }
    }

    let format: String
    let url: String
    private let server: RawServer
    private let shared: Shared

    init(_ format: String, _ path: String, _ list: [[String]]) throws {
        let shared = Shared(list)
        server = try RawServer { connection in
            let head = connection.readHead()
            let target = String(head.split(separator: " ").dropFirst().first ?? "")
            let host = head.firstMatch(of: /(?i)host: *(\S+)/).map { String($0.1) } ?? ""
            let answer = shared.content.withLock { $0.answer(target, "http://\(host)", format == "graph") }
            guard let (status, body) = answer else { return connection.waitForEnd() }
            connection.send(
                """
                HTTP/1.1 \(status) Said\r\nContent-Type: application/json\r\nLocation: \(path)\r\n\
                Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)
                """)
        }
        (self.format, self.shared, url) = (format, shared, server.url(path).absoluteString)
    }

    var requests: [String] { shared.content.withLock { $0.requests } }
    @discardableResult
    func change<T: Sendable>(_ body: (inout Content) -> T) -> T { shared.content.withLock { body(&$0) } }

    /// Long values are left out.
    func takeRequests() -> [String] {
        defer { change { $0.requests = [] } }
        return requests.map { $0.replacing(#/=[^&]{30,}/#, with: "=…") }
    }
}

extension HTTPDirectory.Content {
    /// Nil for no answer.
    fileprivate mutating func answer(_ target: String, _ origin: String, _ isGraph: Bool) -> Answer? {
        requests.append(target.removingPercentEncoding ?? target)
        let items = URLComponents(string: target)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        let token = value(isGraph ? "$deltatoken" : "syncToken")
        let isOfChanges = isGraph ? target.contains("/delta?") : token != nil
        if isOfChanges, !refusals.isEmpty { return refusals.removeFirst() }
        let start = token.flatMap { Int($0.dropFirst()) }.map { tokens[$0 - 1] } ?? changes.count
        let page = value(isGraph ? "$skiptoken" : "pageToken").flatMap { Int($0.dropFirst()) }
        let number = page ?? (isOfChanges ? start : 0)
        if isOfChanges, number == stalledPage { return nil }
        let pages = isOfChanges ? changes : list
        let records = number < pages.count ? pages[number] : []
        let people = "[\(records.joined(separator: ", "))]"
        let isLast = number + 1 >= pages.count
        if isLast, isGraph, !isOfChanges { return (200, #"{"value": \#(people)}"#) }
        if isLast { tokens.append(changes.count) }
        let next = isLast ? "t\(tokens.count)" : "\(isOfChanges ? "c" : "l")\(number + 1)"
        guard isGraph else {
            let list = records.isEmpty ? "" : #""people": \#(people), "#
            return (200, #"{\#(list)"next\#(isLast ? "Sync" : "Page")Token": "\#(next)"}"#)
        }
        let link = "\(origin)\(target.prefix { $0 != "?" })?$\(isLast ? "delta" : "skip")token=\(next)"
        return (200, #"{"@odata.\#(isLast ? "delta" : "next")Link": "\#(link)", "value": \#(people)}"#)
    }
}
