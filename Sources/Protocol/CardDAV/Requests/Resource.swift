import Model

/// What is served, by path.
enum Resource: Hashable, Sendable {
    /// `/` and `/dav/`, where clients begin.
    case start(path: String)
    case principal, home, book
    case card(id: String)

    static let principalPath = "/dav/me/"
    static let homePath = "/dav/me/books/"
    static let bookPath = "/dav/me/books/directory/"

    /// Nil if nothing has this path.
    init?(path: Substring) {
        switch path {
        case "/", "/dav/": self = .start(path: String(path))
        case "/dav": self = .start(path: "/dav/")
        case "/dav/me/", "/dav/me": self = .principal
        case "/dav/me/books/", "/dav/me/books": self = .home
        case "/dav/me/books/directory/", "/dav/me/books/directory": self = .book
        default:
            guard let id = Self.id(inPath: path) else { return nil }
            self = .card(id: id)
        }
    }

    var path: String {
        switch self {
        case .start(let path): path
        case .principal: Self.principalPath
        case .home: Self.homePath
        case .book: Self.bookPath
        case .card(let id): Self.path(ofCard: id)
        }
    }

    /// The card's name is the user's id in base64url, so that it is safe in paths and in XML.
    static func path(ofCard id: String) -> String { bookPath + base64URL(Array(id.utf8)) + ".vcf" }

    /// Nil also for another spelling of a card's path.
    fileprivate static func id(inPath path: Substring) -> String? {
        guard path.hasPrefix(bookPath), path.hasSuffix(".vcf"),
            case let name = path.dropFirst(bookPath.utf8.count).dropLast(4),
            let bytes = bytes(base64URL: name), let id = String(validating: bytes, as: UTF8.self),
            base64URL(bytes) == name
        else { return nil }
        return id
    }
}

extension DAVRequest.Reference {
    /// - Parameter href: a path or a whole URL, which KDE sends.
    init(href: String) {
        let href = href.trimmingBlanks()
        var path = href[...]
        if let scheme = href.firstRange(of: "://"), !href.hasPrefix("/") {
            let rest = href[scheme.upperBound...]
            path = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
        }
        self = Resource.id(inPath: path).map { .card(id: $0) } ?? .other(path: String(path))
    }

    var path: String {
        switch self {
        case .card(let id): Resource.path(ofCard: id)
        case .other(let path): path
        }
    }
}
