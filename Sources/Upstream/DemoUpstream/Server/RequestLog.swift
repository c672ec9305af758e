import NIOHTTP1

/// A request without its body.
package struct RequestRecord: Sendable, Equatable, Encodable {
    package let method: String
    /// With the query, as sent.
    package let uri: String
    /// Without the query and a final slash.
    package let path: String
    /// Headers among ``keptHeaders``; names in lower case.
    package let headers: [String: String]

    package static let keptHeaders = [
        "accept", "accept-encoding", "authorization", "if-modified-since", "if-none-match", "user-agent",
    ]

    init(_ request: Request) {
        method = request.method.rawValue
        uri = request.uri
        path = request.path
        headers = Dictionary(
            uniqueKeysWithValues: Self.keptHeaders.compactMap { name in
                request.headers.first(name: name).map { (name, $0) }
            })
    }
}

/// Number of requests by path, and the latest requests.
struct RequestLog {
    private(set) var counts: [String: Int] = [:]
    /// Number of 304 answers.
    var unchanged = 0
    private var records: [RequestRecord] = []

    mutating func append(_ record: RequestRecord) {
        if counts[record.path] == nil, counts.count >= Self.pathLimit {
            counts[Self.others, default: 0] += 1
        } else {
            counts[record.path, default: 0] += 1
        }
        // Trims at twice the size, so that elements are seldom moved.
        if records.count == 2 * Self.size { records.removeFirst(Self.size) }
        records.append(record)
    }

    var recent: [RequestRecord] { records.suffix(Self.size) }

    func count(for scope: String) -> Int {
        counts.reduce(0) { isWithin($1.key, scope) ? $0 + $1.value : $0 }
    }

    private static let size = 1000
    private static let pathLimit = 10_000
    /// Counts requests once there are too many different paths.
    static let others = "/…"
}
