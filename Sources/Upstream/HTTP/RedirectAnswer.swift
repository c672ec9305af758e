import FoundationEssentials
import Model

/// What the provider sends back with the browser (RFC 6749, sections 4.1.2 and 4.1.2.1).
package enum RedirectAnswer: Hashable, Sendable {
    case code(String)
    case refusal(code: String, description: String)
}

/// Recognises the one redirect that belongs to this sign-in.
package struct ExpectedRedirect: Sendable {
    package let state: String
    /// Nil if the provider is known by its endpoints alone.
    var issuer: String?
    /// The provider says that its redirects name it (RFC 9207, section 2.4).
    var alwaysNamesIssuer = false

    package init(state: String, issuer: String?, alwaysNamesIssuer: Bool) {
        (self.state, self.issuer, self.alwaysNamesIssuer) = (state, issuer, alwaysNamesIssuer)
    }

    /// Nil for any other redirect: it must not end the wait.
    package func answer(in query: String) -> RedirectAnswer? {
        let fields = formFields(query)
        // A parameter that is given twice is nobody's valid answer (RFC 6749, section 3.1).
        guard Set(fields.map(\.name)).count == fields.count else { return nil }
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.value) })
        guard let given = values["state"], isSame(given, state) else { return nil }
        if let issuer, let named = values["iss"], named != issuer { return nil }
        // Some providers that name themselves beside codes leave it out beside errors, which end the wait at worst.
        if let error = values["error"] {
            return .refusal(code: error, description: values["error_description"] ?? "")
        }
        if issuer != nil, alwaysNamesIssuer, values["iss"] == nil { return nil }
        return values["code"].flatMap { $0.isEmpty ? nil : .code($0) }
    }

    /// The answer in an address that a person has copied from a browser.
    package func answer(pasted address: String) throws(UpstreamError) -> RedirectAnswer {
        let text = address.trimmingBlanks()
        guard text.utf8.count <= 16_384, let query = URLComponents(string: text)?.percentEncodedQuery else {
            throw UpstreamError(
                .credentials, "that is not the address at which the browser ended",
                advice: .pasteWholeAddress)
        }
        guard let answer = answer(in: query) else {
            throw UpstreamError(
                .credentials, "that address belongs to another sign-in", advice: .pasteWholeAddress)
        }
        return answer
    }

    /// Takes the same time for all texts of the same length.
    private func isSame(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The fields of a form or a query (WHATWG URL, application/x-www-form-urlencoded).
private func formFields(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: "&").map { field in
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
            percentDecoded($0.replacing("+", with: " ")[...])
        }
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}
