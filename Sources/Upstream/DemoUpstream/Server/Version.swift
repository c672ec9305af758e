import Glibc
import NIOHTTP1

/// What tells one version of an answer from another (RFC 9110, section 8.8).
struct Version {
    private let etag: String
    private let lastModified: String

    /// - Parameter edition: the last edit that changed the answer; the first was made on 2 January 2001, and one each day.
    init(of request: Request, _ edition: Int, isEmpty: Bool) {
        let key = SplitMix64.key(SplitMix64.key(of: request.uri), 2 * edition + (isEmpty ? 1 : 0))
        etag = "\"\(String(key, radix: 16))\""
        // An empty answer is later than all others, so that it is not taken for one of them.
        lastModified = httpDate(978_307_200 + 86_400 * edition + (isEmpty ? 43_200 : 0))
    }

    /// Makes the reply a 304 where the client has this version, and tells the version in it, as the faults have it.
    func tell(_ effects: FaultEffects, in reply: inout Reply, to request: Request) {
        if effects.hasETag && request.has(etag)
            || effects.hasLastModified && request.hasSince(lastModified)
        {
            reply = Reply(.notModified)
        }
        if effects.hasETag { reply.headers.add(name: "etag", value: etag) }
        if effects.hasLastModified {
            reply.headers.add(name: "last-modified", value: lastModified)
            reply.headers.add(name: "date", value: httpDate(time(nil)))
        }
    }
}

extension Request {
    /// Whether the client says that it has the representation with this tag (RFC 9110, section 13.1.2).
    fileprivate func has(_ tag: String) -> Bool {
        headers[canonicalForm: "if-none-match"].contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    /// The same by the date, which only counts where there is no tag (section 13.1.3); another date is another version.
    fileprivate func hasSince(_ date: String) -> Bool {
        headers["if-none-match"].isEmpty && headers.first(name: "if-modified-since") == date
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
func httpDate(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    let date = CivilDate(days: days)
    // 1 January 1970 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
    let month = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][date.month - 1]
    let time = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
    return "\(weekday), \(two(date.day)) \(month) \(date.year) \(time) GMT"
}
