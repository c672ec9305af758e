import Model

extension HTTPHeaders {
    /// The address of the next page in a `Link` header (RFC 8288); nil if there is none, or if Sentry says
    /// that the page is empty. Reads several headers, and several links in one.
    package var nextLink: String? {
        for field in fields where field.isNamed("Link") {
            // `<address>; rel="next"; title="…", <address>; …`
            for link in field.value.matches(of: #/<([^>]*)>((?:"[^"]*"|[^<"])*)/#) {
                let parameters = link.2.matches(of: #/([^=;,\s]+)\s*=\s*(?:"([^"]*)"|([^;,"]*))/#)
                func value(_ name: String) -> String? {
                    parameters.first { $0.1.lowercased() == name }.flatMap { $0.2 ?? $0.3 }?.lowercased()
                }
                if value("rel")?.split(separator: " ").contains("next") == true, value("results") != "false" {
                    return String(link.1)
                }
            }
        }
        return nil
    }
}
