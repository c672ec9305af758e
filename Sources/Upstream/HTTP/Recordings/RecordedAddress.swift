import FoundationEssentials
import Model

extension URL {
    /// The address as it is recorded: without user, password and fragment, and with values only of parameters
    /// that choose pages and records. A recorded address stays the same.
    /// - Parameter names: more such parameters.
    package func recorded(keeping names: Set<String> = []) -> URL {
        URLComponents(url: self, resolvingAgainstBaseURL: true)?.recorded(keeping: names).url ?? self
    }
}

/// The address of a next page as it is recorded. Redacted values stay different from each other, as pages do.
package func recorded(nextPage address: String, keeping names: Set<String>) -> String {
    URLComponents(string: address)?.recorded(keeping: names, otherwise: redacted).string ?? "REDACTED"
}

/// A setting as recordings and `--print-config` show it: secrets in addresses and queries are removed.
package func redacted(setting text: String) -> String {
    // Paths, and structures in YAML, whose pointers may contain `?`, `=` and `&`.
    if let first = text.first, "/{[\"".contains(first) { return text }
    // LDAP filters may contain them, too; LDAP addresses have no user or password.
    if ["ldap://", "ldaps://", "ldapi://"].contains(where: { text.prefix(8).lowercased().hasPrefix($0) }) {
        return text
    }
    if let start = text.firstRange(of: "://")?.upperBound {
        let authority = text[start...].prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            return text[..<start] + "REDACTED" + redacted(setting: String(text[at...]))
        }
    }
    guard let mark = text.firstIndex(of: "?") else {
        return text.contains("=") ? recorded(query: text) : text
    }
    return text[...mark] + recorded(query: String(text[mark...].dropFirst()))
}

extension HTTPHeaders {
    /// The headers without secrets that userd reads or sends, each once.
    /// - Parameters:
    ///   - names: parameters whose values stay in addresses.
    ///   - additional: names of further headers.
    func recorded(keeping names: Set<String>, _ additional: [String] = []) -> HTTPHeaders {
        var kept: HTTPHeaders = [:]
        for name in recordedHeaders + additional {
            guard let value = self[name] else { continue }
            kept[name] =
                name == "Location" ? URLComponents(string: value)?.recorded(keeping: names).string : value
        }
        if let next = nextLink {
            kept["Link"] = "<\(HTTP.recorded(nextPage: next, keeping: names))>; rel=\"next\""
        }
        return kept
    }
}

private let recordedHeaders = [
    "Accept", "Age", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date", "ETag",
    "If-Modified-Since", "If-None-Match", "Last-Modified", "Location", "Retry-After",
]

/// Query parameters of randomuser.me and catfact.ninja whose values are recorded.
package let recordedParameters: Set<String> = [
    "exc", "gender", "inc", "limit", "max_length", "nat", "page", "results", "seed",
]

extension URLComponents {
    fileprivate func recorded(
        keeping names: Set<String>, otherwise: (Substring) -> String = { _ in "REDACTED" }
    ) -> URLComponents {
        var parts = self
        (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
        parts.percentEncodedQuery = percentEncodedQuery.map {
            HTTP.recorded(query: $0, keeping: names, otherwise: otherwise)
        }
        return parts
    }
}

/// - Parameter otherwise: replaces a value that is not kept.
private func recorded(
    query: String, keeping names: Set<String> = [], otherwise: (Substring) -> String = { _ in "REDACTED" }
) -> String {
    query.split(separator: "&", omittingEmptySubsequences: false).map { part in
        let (name, value) = (part.prefix { $0 != "=" }, part.drop { $0 != "=" })
        let isKept = QueryParameters(String(name)).all.first.map {
            recordedParameters.contains($0.name) || names.contains($0.name)
        }
        // A part without a value may itself be a secret.
        return isKept ?? true
            ? String(part) : value.isEmpty ? otherwise(part) : "\(name)=\(otherwise(value.dropFirst()))"
    }.joined(separator: "&")
}

/// Replaces a value that is not recorded: equal values by the same text, different ones by different texts.
/// The hash has a random key in each process, so trying many values does not reveal the value.
private func redacted(_ value: Substring) -> String {
    if value.hasPrefix("REDACTED") { return String(value) }
    var hasher = Hasher()
    hasher.combine(value)
    return "REDACTED" + UInt(bitPattern: hasher.finalize()).hexadecimal.prefix(12)
}
