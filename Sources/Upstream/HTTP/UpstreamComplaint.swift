import Model
import StrictJSON

/// Why an upstream gives no records, in its own words.
package struct UpstreamComplaint: Hashable {
    package var text: String
    /// The HTTP status that the body mentions.
    var status: Int?
    /// Whether the complaint is about a rate limit; not all upstreams say so by status.
    var isRateLimit = false
    /// Whether the complaint is about credentials or rights, which time does not mend.
    var isRefusal = false

    package init(text: String) { self.text = text }

    /// The text of the members that servers commonly use; nil if there is none.
    /// - Parameter isEmpty: whether the list is null: then a remark is no complaint.
    package init?(anyIn body: JSONValue, isEmpty: Bool = false) {
        // Some answer "ok" in the place of an error.
        guard let text = body.complaint(takesRemarks: !isEmpty),
            !["ok", "success"].contains(text.asciiLowercased)
        else {
            return nil
        }
        self.text = text
        status = body["code"]?.int.flatMap { 400...599 ~= $0 ? Int($0) : nil }
        isRateLimit = [text, body.codes].contains {
            tellsRateLimit($0, or: ["easeup", "toomany", "throttled"])
        }
        let words = plain(text + " " + body.codes)
        isRefusal =
            [
                "accountinactive", "authentic", "authoriz", "denied", "forbidden", "invalidauth",
                "notallowed", "notauth", "oauth", "permission", "scope", "token", "unauth",
            ].contains(where: words.contains)
            && !["internal", "temporar", "timeout", "unavailable", "unexpectedtoken"]
                .contains(where: words.contains)
    }
}

/// Whether a text names a rate limit: as Google, GraphQL servers and others call it, or in words.
func tellsRateLimit(_ text: String, or others: [String] = []) -> Bool {
    let words = plain(text)
    return (["ratelimit", "toomanyrequests", "quotaexceeded", "requestlimitexceeded"] + others)
        .contains(where: words.contains)
}

private func plain(_ text: String) -> String { text.asciiLowercased.filter { !"_- ".contains($0) } }

extension JSONValue {
    /// Members in which servers say what is wrong, the most specific first: OAuth (RFC 6749), problem details
    /// (RFC 9457), SCIM and Django, most others, JSON:API and GraphQL, CouchDB, MediaWiki, Google and many others. In
    /// lower case, without `_`.
    private static let complaintMembers = [
        "errordescription", "detail", "errorsummary", "errormessage", "errormessages", "message", "errmsg",
        "msg", "faultstring", "errors", "reason", "info", "error", "fault", "title",
    ]

    /// The codes of the first error in a list of GraphQL's.
    fileprivate var codes: String {
        let error = (kind == .object ? self["errors"] : self)?.elements(upTo: 1)?.first
        let codes = [error?["type"], error?["code"], error?["extensions"]?["code"]]
        return codes.compactMap { $0?.string }.joined(separator: " ")
    }

    /// The text in the first of those members that has one; for a list, the texts of its first elements.
    ///
    /// - Parameters:
    ///   - depth: maximum nesting of objects and lists.
    ///   - takesRemarks: whether members count that also say that all is well.
    fileprivate func complaint(depth: Int = 4, takesRemarks: Bool = true) -> String? {
        switch kind {
        case .string:
            return string.flatMap { $0.trimmingBlanks().isEmpty ? nil : $0 }
        case .object where depth > 0:
            let members = (members(upTo: FormatLimits.members) ?? []).map { (plain($0.name), $0.value) }
            return Self.complaintMembers.lazy.filter {
                takesRemarks || !["msg", "reason", "info"].contains($0)
            }
            .flatMap { name in members.filter { $0.0 == name } }
            .compactMap { $0.1.complaint(depth: depth - 1) }.first
        case .array where depth > 0:
            let texts = (elements(upTo: 8) ?? []).compactMap { $0.complaint(depth: depth - 1) }
            return texts.isEmpty ? nil : texts.joined(separator: "; ")
        default:
            return nil
        }
    }
}
