import Glibc
import NIOHTTP1

/// The validators of an answer (RFC 9110, section 8.8).
struct Version {
    private let etag: String
    private let lastModified: String

    /// - Parameter edition: the last edit that changed the answer. Edit 0 dates from 1 January 2001, and each later
    ///   one from the next day.
    init(of request: Request, _ edition: Int, isEmpty: Bool) {
        let key = SplitMix64.key(SplitMix64.key(of: request.uri), 2 * edition + (isEmpty ? 1 : 0))
        etag = "\"\(String(key, radix: 16))\""
        // An empty answer is half a day later, so that its date differs from all others.
        lastModified = httpDate(978_307_200 + 86_400 * edition + (isEmpty ? 43_200 : 0))
    }

    /// Adds the version to the reply, depending on the faults; makes it a 304 if the client has this version.
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
    /// Whether If-None-Match contains this tag (RFC 9110, section 13.1.2).
    fileprivate func has(_ tag: String) -> Bool {
        headers[canonicalForm: "if-none-match"].contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    /// Whether If-Modified-Since has exactly this date; ignored if there is If-None-Match (section 13.1.3).
    fileprivate func hasSince(_ date: String) -> Bool {
        headers["if-none-match"].isEmpty && headers.first(name: "if-modified-since") == date
    }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
func httpDate(_ seconds: Int) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    let date = CivilDate(days: days)
    // 1 January 1970 was a Thursday.
    let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(weekday), \(padded(date.day, 2)) \(months[date.month - 1]) \(date.year) \(time) GMT"
}
