import FoundationEssentials
import HTTP

/// The address of this machine to which the provider sends the browser back (RFC 8252, section 7.3).
package struct RedirectAddress: Hashable, Sendable {
    /// `127.0.0.1`, `localhost` or `[::1]`.
    let host: String
    /// Nil for a free one.
    let port: Int?
    /// The path, as it is registered; may be empty.
    let path: String

    package static let standard = RedirectAddress(host: "127.0.0.1", port: nil, path: "/callback")

    private init(host: String, port: Int?, path: String) {
        (self.host, self.port, self.path) = (host, port, path)
    }

    /// Nil unless it is an http address of this machine, without a query.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), parts.scheme == "http",
            let authority = HTTPAuthority(parts),
            ["127.0.0.1", "localhost", "::1"].contains(authority.host.text), parts.query == nil,
            parts.fragment == nil, parts.user == nil, parts.password == nil
        else { return nil }
        self.init(host: authority.host.bracketed, port: authority.port, path: parts.percentEncodedPath)
    }

    /// The addresses to listen at. A browser may take either for `localhost`.
    var listened: [String] {
        switch host {
        case "localhost": ["127.0.0.1", "::1"]
        case "[::1]": ["::1"]
        default: ["127.0.0.1"]
        }
    }

    /// The path of the browser's request.
    var requestPath: String { path.isEmpty ? "/" : path }

    func address(port: Int) -> String { "http://\(host):\(port)\(path)" }
}
