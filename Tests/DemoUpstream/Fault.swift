/// A deliberate fault.
package struct Fault: Sendable, Equatable {
    package var kind: Kind
    /// Applies to this path and paths below it; nil for all.
    package var path: String?
    /// Number of requests it applies to; nil for no limit.
    package var times: Int?
    /// Number of requests that it lets pass first.
    package var after: Int?

    package init(_ kind: Kind, path: String? = nil, times: Int? = nil, after: Int? = nil) {
        (self.kind, self.path, self.times, self.after) = (kind, path, times, after)
    }

    package enum Kind: Sendable, Equatable {
        case delay(milliseconds: Int)
        /// Sends only the headers.
        case stall
        /// Answers with this status; `retryAfter` is sent unchanged.
        case status(Int, retryAfter: String? = nil, body: String? = nil)
        /// Announces more bytes than it sends, then closes.
        case truncate
        case reset
        case rubbish(Rubbish)
        /// Succeeds with an empty list.
        case empty
        /// Sends `Content-Encoding: gzip`, even if the client does not accept it.
        case gzip
        /// An endless gzip body that inflates a hundredfold.
        case gzipBomb
        /// Sends an `ETag` and answers 304 if it matches, unlike the real upstreams.
        case etag
        /// Sends `Last-Modified` and `Date`, and answers 304 if they match.
        case lastModified
        /// Closes all connections and refuses new ones. Has no path, times or after.
        case down
        case errorBody(ErrorBody)
        case slow(bytesPerSecond: Int)
        case redirect(location: String, status: Int = 302)
        case endless
        case lastPageGrows
        case ignoresPage
        /// A page of a directory lacks its last user. The next page begins with that one, unless pages are counted.
        case shortPage
        /// A directory reports ten users more than it lists.
        case largeTotal
        /// A directory answers beyond its last page with this status and no list; for 0, with the last page
        /// again.
        case beyond(status: Int)

        /// A request has only the first of the kinds in the same group.
        fileprivate var group: String {
            switch self {
            case .stall, .status, .truncate, .reset, .rubbish, .empty, .gzipBomb, .errorBody, .redirect,
                .endless:
                "answer"
            default: String("\(self)".prefix { $0 != "(" })
            }
        }
    }

    /// A web page, like that of a captive portal, or bytes that are not HTTP.
    package enum Rubbish: Sendable { case html, bytes }

    /// Errors in a body, as randomuser.me sends them unless noted otherwise; words.txt has their texts.
    package enum ErrorBody: String, Sendable {
        case documented
        case rateLimit
        /// An error that cuts off a list of users in the middle, with status 200, like Keycloak's.
        case afterRecords

        var json: String { WordLists.file[2][rawValue] ?? "" }
    }
}

/// The faults of one request.
struct FaultEffects: Sendable {
    private(set) var kinds: [Fault.Kind] = []
    private(set) var milliseconds, bytesPerSecond, beyond: Int?

    /// Uses up the faults that apply to a request for this path. The first of faults that exclude each other
    /// applies; the others wait until its times are used up, so a list is a sequence.
    init(from faults: inout [Fault], path: String) {
        for index in faults.indices where isWithin(path, faults[index].path) && faults[index].kind != .down {
            if let after = faults[index].after, after > 0 {
                faults[index].after = after - 1
            } else if !kinds.contains(where: { $0.group == faults[index].kind.group }) {
                kinds.append(faults[index].kind)
                if case .delay(let delay) = faults[index].kind { milliseconds = delay }
                if case .slow(let rate) = faults[index].kind { bytesPerSecond = rate }
                if case .beyond(let status) = faults[index].kind { beyond = status }
                faults[index].times = faults[index].times.map { $0 - 1 }
            }
        }
        faults.removeAll { $0.times == 0 }
    }

    func has(_ kind: Fault.Kind) -> Bool { kinds.contains(kind) }

    /// The fault that replaces the proper answer.
    var answer: Fault.Kind? { kinds.first { $0.group == "answer" } }

    /// The text that ends a list of users after half of its records.
    var cutOff: String? { has(.errorBody(.afterRecords)) ? Fault.ErrorBody.afterRecords.json : nil }
}

/// Whether a path equals `scope` or is below it: `/api/1.4` is within `/api`, `/facts` is not within `/fact`.
func isWithin(_ path: String, _ scope: String?) -> Bool {
    guard var scope else { return true }
    while scope.hasSuffix("/") { scope.removeLast() }
    return path == scope || path.hasPrefix(scope + "/")
}
