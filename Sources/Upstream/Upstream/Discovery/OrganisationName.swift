import FoundationEssentials
import HTTP
import Model

/// What a person names to connect a directory.
package enum OrganisationName: Hashable, Sendable {
    /// `example.org`, also as an email address.
    case domain(String)
    /// An address of a service; one without a scheme is an https:// address.
    case address(URL)

    /// Throws `FormatMistake` for anything else.
    package init(_ text: String) throws(FormatMistake) {
        let text = text.trimmingBlanks()
        if text.contains(where: { $0 == "/" || $0 == ":" }) {
            let address = text.contains("://") ? text : "https://\(text)"
            guard let url = URL(httpAddress: address), url.keepsSecrets, url.query == nil, url.user == nil
            else {
                throw FormatMistake("is not an https:// address without a query")
            }
            self = .address(url)
            return
        }
        var domain = text.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        if domain.hasSuffix(".") { domain.removeLast() }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, domain.utf8.count <= 200,
            labels.allSatisfy({ 1...63 ~= $0.utf8.count && $0.utf8.allSatisfy(\.isOfHostName) })
        else {
            throw FormatMistake(
                "is neither a domain, such as example.org, nor an address that begins with https://")
        }
        self = .domain(domain.lowercased())
    }
}
