import FoundationEssentials
import Model

extension URL {
    /// As in a recording: without user, password and fragment, and with the values of only those parameters that choose
    /// pages and records. A recorded address stays the same.
    var recorded: URL {
        URLComponents(url: self, resolvingAgainstBaseURL: true)?.recorded.url ?? self
    }
}

/// A setting as in recordings and `--print-config`: secrets in addresses and queries are removed.
package func recorded(setting text: String) -> String {
    // Paths, and structures in YAML, whose pointers have signs of queries in them.
    if let first = text.first, "/{[\"".contains(first) { return text }
    // Filters of LDAP have signs of queries in them, too; nobody's name is in its addresses.
    if ["ldap://", "ldaps://", "ldapi://"].contains(where: { text.prefix(8).lowercased().hasPrefix($0) }) {
        return text
    }
    if let start = text.firstRange(of: "://")?.upperBound {
        let authority = text[start...].prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            return text[..<start] + "REDACTED" + recorded(setting: String(text[at...]))
        }
    }
    guard let mark = text.firstIndex(of: "?") else {
        return text.contains("=") ? recorded(query: text) : text
    }
    return text[...mark] + recorded(query: String(text[mark...].dropFirst()))
}

extension HTTPHeaders {
    /// Those that userd reads or sends without secrets, each once.
    var recorded: HTTPHeaders {
        var kept: HTTPHeaders = [:]
        for name in recordedHeaders {
            guard let value = self[name] else { continue }
            kept[name] = name == "Location" ? URLComponents(string: value)?.recorded.string : value
        }
        return kept
    }
}

private let recordedHeaders = [
    "Accept", "Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "ETag",
    "If-Modified-Since", "If-None-Match", "Last-Modified", "Location", "Retry-After",
]

private let recordedParameters = Set(
    UpstreamFormat.randomuser.parameters + UpstreamFormat.catfact.parameters)

extension URLComponents {
    fileprivate var recorded: URLComponents {
        var parts = self
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        parts.percentEncodedQuery = percentEncodedQuery.map(recorded(query:))
        return parts
    }
}

private func recorded(query: String) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { part in
        let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" })
        let isKept = QueryParameters(String(name)).all.first.map { recordedParameters.contains($0.name) }
        // A part without a value may itself be a secret.
        return isKept ?? true ? String(part) : value.isEmpty ? "REDACTED" : "\(name)=REDACTED"
    }.joined(separator: "&")
}
