import Model

extension Validators {
    /// An answer's validators that can be sent back unchanged; nil if there are none.
    package init?(_ response: HTTPResponse) {
        guard response.status == 200 else { return nil }
        let etag = response.headers["ETag"].flatMap { isEntityTag($0) ? $0 : nil }
        let lastModified = response.headers["Last-Modified"].flatMap { date in
            isSettled(date, at: response.headers["Date"]) ? date : nil
        }
        guard etag != nil || lastModified != nil else { return nil }
        self.init(etag: etag, lastModified: lastModified)
    }
}

extension HTTPHeaders {
    /// RFC 9110, sections 13.1.2 and 13.1.3: a server that supports the first ignores the second.
    package mutating func setConditions(_ validators: Validators) {
        self["If-None-Match"] = validators.etag
        self["If-Modified-Since"] = validators.lastModified
    }
}

/// Whether a request's header can carry the text.
private func isSendable(_ text: String) -> Bool {
    text.utf8.count <= 1024 && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
}

/// Whether the text is `"…"`, or `W/"…"` for a weak one (RFC 9110, section 8.8.3). Anything else may have
/// another meaning in a request: `*` is any version.
private func isEntityTag(_ text: String) -> Bool {
    let bytes = text.hasPrefix("W/") ? text.utf8.dropFirst(2) : text.utf8[...]
    let quote = UInt8(ascii: "\"")
    return isSendable(text) && bytes.count >= 2 && bytes.first == quote && bytes.last == quote
        && bytes.dropFirst().dropLast().allSatisfy { 0x21...0x7E ~= $0 && $0 != quote }
}

/// Whether a date distinguishes this version from later ones: a version sent in the second of its change may change
/// again in that second (RFC 9110, section 8.8.2.2).
private func isSettled(_ modified: String, at sent: String?) -> Bool {
    guard isSendable(modified), let modified = Timestamp(httpDate: modified),
        let sent = sent.flatMap(Timestamp.init(httpDate:))
    else { return false }
    return sent - modified >= .seconds(1)
}
