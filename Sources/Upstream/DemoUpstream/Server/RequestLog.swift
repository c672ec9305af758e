import NIOHTTP1

/// A request that came, without its body.
package struct RequestRecord: Sendable, Equatable, Encodable {
    package let method: String
    /// With its query, as it was sent.
    package let uri: String
    /// Without its query and without a slash at the end.
    package let path: String
    /// Those of ``keptHeaders`` that were sent, in lower case.
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

/// Counts of requests by path, and the last of them.
struct RequestLog {
    private(set) var counts: [String: Int] = [:]
    /// Of those, answered 304.
    var unchanged = 0
    private var records: [RequestRecord] = []

    mutating func append(_ record: RequestRecord) {
        if counts[record.path] == nil, counts.count >= Self.pathLimit {
            counts[Self.others, default: 0] += 1
        } else {
            counts[record.path, default: 0] += 1
        }
        // Twice the size, so that what is old is moved out seldom.
        if records.count == 2 * Self.size { records.removeFirst(Self.size) }
        records.append(record)
    }

    var recent: [RequestRecord] { records.suffix(Self.size) }

    func count(for scope: String) -> Int {
        counts.reduce(0) { isWithin($1.key, scope) ? $0 + $1.value : $0 }
    }

    private static let size = 1000
    private static let pathLimit = 10_000
    /// Under which requests are counted once there are too many different paths.
    static let others = "/…"
}
