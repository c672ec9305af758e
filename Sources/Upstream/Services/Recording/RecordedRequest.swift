import FoundationEssentials
import Model

/// A request as it is looked up in a recording, where it is the same in whatever order its query is, and however its address
/// is spelt.
struct RecordedRequest: Hashable, Comparable, CustomStringConvertible {
    /// `GET http://users.example/api/`, with the port where it is not the scheme's own.
    let place: String
    /// Sorted.
    let items: [String]
    private let text: String

    init(_ method: String, _ url: URL) {
        let origin = HTTPOrigin(url)
        let port = origin.port == (origin.scheme == "https" ? 443 : 80) ? "" : ":\(origin.port)"
        let path = url.path()
        place = "\(method) \(origin.scheme)://\(origin.host)\(port)\(path.isEmpty ? "/" : path)"
        items = QueryParameters(url.query() ?? "").canonical
        text = items.isEmpty ? place : "\(place)?\(items.joined(separator: "&"))"
    }

    static func < (a: Self, b: Self) -> Bool { a.text < b.text }

    /// For messages.
    var description: String { text.shown(upTo: 300) }

    /// How much of both is the same from the beginning on.
    func sharedLength(with other: Self) -> Int {
        zip(text.utf8, other.text.utf8).prefix { $0 == $1 }.count
    }

    /// What the query of another at the same place has in the place of which of this one's.
    func difference(from other: Self) -> String {
        let (ours, theirs) = (items.removing(other.items), other.items.removing(items))
        let has = theirs.isEmpty ? "nothing" : theirs.listed
        return ours.isEmpty ? "\(has) besides" : "\(has) in the place of \(ours.listed)"
    }
}

extension [String] {
    fileprivate func removing(_ others: [String]) -> [String] {
        var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        return filter { item in
            guard let count = counts[item], count > 0 else { return true }
            counts[item] = count - 1
            return false
        }
    }

    fileprivate var listed: String {
        prefix(5).map { $0.shown(upTo: 60) }.joined(separator: "&") + (count > 5 ? "&…" : "")
    }
}
