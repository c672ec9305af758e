import FoundationEssentials
import Model

/// The key of a request in a recording. The order of its query and the spelling of its address don't matter.
struct RecordedRequest: Hashable, Comparable, CustomStringConvertible {
    /// `GET http://users.example/api/`, with the port if it is not the scheme's default.
    let place: String
    /// Sorted.
    let items: [String]
    private let text: String

    init(_ method: String, _ url: URL) {
        let path = url.path()
        place = "\(method) \(HTTPOrigin(url)?.description ?? "")\(path.isEmpty ? "/" : path)"
        items = QueryParameters(url.query() ?? "").canonical
        text = items.isEmpty ? place : "\(place)?\(items.joined(separator: "&"))"
    }

    static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// The request's name in messages.
    var description: String { text.shown(upTo: 300) }

    /// Length of the common beginning, in bytes.
    func sharedLength(with other: Self) -> Int {
        zip(text.utf8, other.text.utf8).prefix { $0 == $1 }.count
    }

    /// How the query of another request at the same place differs; for messages.
    func difference(from other: Self) -> String {
        let ours = items.filter { !other.items.contains($0) }
        let theirs = other.items.filter { !items.contains($0) }
        let has = theirs.isEmpty ? "nothing" : theirs.listed
        return ours.isEmpty ? "\(has) in addition" : "\(has) instead of \(ours.listed)"
    }
}

extension [String] {
    fileprivate var listed: String {
        prefix(5).map { $0.shown(upTo: 60) }.joined(separator: "&") + (count > 5 ? "&…" : "")
    }
}
