/// Writes the parts of a multistatus (RFC 4918, section 13), in UTF-8.
struct MultistatusWriter {
    private(set) var bytes: [UInt8] = []

    static let begin =
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<multistatus xmlns=\"DAV:\""
        + " xmlns:C=\"\(XMLName.carddav)\" xmlns:S=\"\(XMLName.calendarServer)\">"
    static let end = "</multistatus>"

    /// Thunderbird finds nothing in a status with another version of HTTP.
    private static let found = "</prop><status>HTTP/1.1 200 OK</status></propstat>"
    private static let missing = "</prop><status>HTTP/1.1 404 Not Found</status></propstat>"

    /// Takes what was written so far.
    mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Text between tags, or within quotes. A carriage return would be read as a newline.
    mutating func append(text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "\""): append("&quot;")
            case UInt8(ascii: "\r"): append("&#13;")
            default: bytes.append(byte)
            }
        }
    }

    /// What can't be found.
    mutating func appendMissing(path: String) {
        append("<response><href>")
        append(text: path.utf8)
        append("</href><status>HTTP/1.1 404 Not Found</status></response>")
    }

    /// Not all that was found is shown (RFC 6352, section 8.6.2).
    mutating func appendIncomplete() {
        append(
            "<response><href>\(Resource.bookPath)</href><status>HTTP/1.1 507 Insufficient Storage</status>"
                + "<error><C:number-of-matches-within-limits/></error></response>")
    }

    /// A resource and its properties: those that it has first, as clients expect.
    mutating func append(_ path: String, _ shown: ShownProperties, _ value: (XMLName, inout Self) -> Void) {
        append("<response><href>\(path)</href><propstat><prop>")
        for name in shown.found {
            let tag = name.tag
            guard !shown.areNamesOnly else {
                append("<\(tag)/>")
                continue
            }
            append("<\(tag)>")
            value(name, &self)
            append("</\(tag)>")
        }
        append(Self.found)
        append(shown.missing)
        append("</response>")
    }

    /// - Parameter names: properties that a resource does not have.
    fileprivate static func missing(_ names: [XMLName]) -> String {
        guard !names.isEmpty else { return "" }
        var writer = MultistatusWriter()
        writer.append("<propstat><prop>")
        for name in names { writer.appendEmpty(name) }
        writer.append(missing)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private mutating func appendEmpty(_ name: XMLName) {
        if let tag = name.knownTag { return append("<\(tag)/>") }
        guard !name.namespace.isEmpty else { return append("<\(name.local) xmlns=\"\"/>") }
        append("<x:\(name.local) xmlns:x=\"")
        append(text: name.namespace.utf8)
        append("\"/>")
    }
}

/// The properties of one kind of resource that an answer shows, worked out once for all resources of the kind.
struct ShownProperties {
    let found: [XMLName]
    let missing: String
    let areNamesOnly: Bool

    /// - Parameters:
    ///   - all: those that the resource has.
    ///   - unasked: those of them that are always shown.
    init(_ wanted: DAVRequest.Properties, of all: [XMLName], unasked: Set<XMLName> = []) {
        switch wanted {
        case .all, .names:
            found = all
            missing = ""
            areNamesOnly = wanted == .names
        case .some(let names):
            found = all.filter { names.contains($0) || unasked.contains($0) }
            let others = names.filter { !all.contains($0) }
            missing = MultistatusWriter.missing(others)
            areNamesOnly = false
        }
    }
}

extension XMLName {
    /// With a prefix that the multistatus declares; nil for another namespace.
    fileprivate var knownTag: String? {
        switch namespace {
        case Self.dav: local
        case Self.carddav: "C:\(local)"
        case Self.calendarServer: "S:\(local)"
        default: nil
        }
    }

    fileprivate var tag: String { knownTag ?? local }
}
