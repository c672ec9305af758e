import FoundationEssentials
import Model

extension URL {
    /// An absolute http or https address with a host; nil for anything else.
    package init?(httpAddress text: String) {
        guard text.utf8.count <= 8192, let url = URL(string: text), url.isHTTPAddress else { return nil }
        self = url
    }

    package var isHTTPAddress: Bool {
        guard let scheme = scheme?.asciiLowercased, let host = host() else { return false }
        return (scheme == "http" || scheme == "https") && !host.isEmpty
    }
}
