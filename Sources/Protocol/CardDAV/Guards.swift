import FoundationEssentials

/// Decides by its headers alone whether a request is answered.
struct Guards: Sendable {
    enum Verdict: Sendable {
        /// With the right password.
        case allowed
        /// Not what the password protects, but not refused either.
        case answered(Answer)
        /// - Parameter isWrong: a password was given.
        case unauthorised(isWrong: Bool)
        case refused(Answer)
    }

    /// Without its name `localhost`, which may also lead to [::1], where another user may listen.
    let host: String
    private let password: [UInt8]
    /// The answer to all requests of this machine's programs; nil if there is a book.
    private let refusal: Answer?

    init(port: Int, _ content: CardDAVServer.Content) {
        host = "127.0.0.1:\(port)"
        switch content {
        case .book(_, let password): (self.password, refusal) = (Array(password.utf8), nil)
        case .refusal(let reason): (password, refusal) = ([], .unavailable(reason))
        }
    }

    /// The path of a request, without a query. It may be a whole URL (RFC 9112, section 3.2.2).
    func path(of target: String) -> Substring {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("http://\(host)") else { return path }
        let rest = path.dropFirst("http://\(host)".count)
        return rest.isEmpty ? "/" : rest
    }

    /// - Parameters:
    ///   - path: of the request, without a query.
    ///   - headers: all values of a header.
    func verdict(_ method: String, _ path: Substring, _ headers: (String) -> [String]) -> Verdict {
        // A page whose name leads to 127.0.0.1 (DNS rebinding) sends another host.
        guard headers("Host") == [host] else {
            return .refused(.text(403, "the address of this server is http://\(host)/"))
        }
        // Thunderbird sends its own origin. A page of another site must neither read nor write.
        let isForeign =
            headers("Origin").contains { $0 != "http://\(host)" }
            || headers("Sec-Fetch-Site").contains { $0 != "none" && $0 != "same-origin" }
        if isForeign { return .refused(.text(403, "web pages have no access")) }
        if let refusal { return .refused(refusal) }
        if path == "/.well-known/carddav" {
            return .answered(Answer(status: 301, headers: [("Location", "/dav/")]))
        }
        if method == "OPTIONS" { return .answered(Responder.options) }
        let given = headers("Authorization")
        if given.count == 1, isRight(given[0]) { return .allowed }
        return .unauthorised(isWrong: !given.isEmpty)
    }

    /// RFC 7617. Any user name will do.
    private func isRight(_ authorization: String) -> Bool {
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "basic",
            let credentials = Data(base64Encoded: String(parts[1])),
            let colon = credentials.firstIndex(of: UInt8(ascii: ":"))
        else { return false }
        let given = credentials[(colon + 1)...]
        guard given.count == password.count else { return false }
        // Takes the same time wherever they differ.
        return zip(given, password).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    static let unauthorised = Answer(
        status: 401,
        headers: [
            ("WWW-Authenticate", "Basic realm=\"userd\", charset=\"UTF-8\""),
            ("Content-Type", "text/plain; charset=utf-8"),
        ], body: .whole(Array("`userctl carddav` shows where the password is\n".utf8)))

    /// Headers of all answers, so that browsers keep nothing, and other sites can't read it.
    static let headers = [
        ("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
    ]
}
