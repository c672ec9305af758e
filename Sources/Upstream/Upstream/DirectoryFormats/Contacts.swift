import HTTP
import Model
import StrictJSON

/// An email address or a telephone number from a directory.
package struct FoundContact: Equatable {
    var value: String
    var kind: String?
    var isPrimary = false

    package init(value: String, kind: String? = nil, isPrimary: Bool = false) {
        (self.value, self.kind, self.isPrimary) = (value.contactWithoutScheme, kind, isPrimary)
    }

    var isMobile: Bool { isOf("mobile") || isOf("cell") }
    var isFax: Bool { isOf("fax") || isOf("pager") }

    /// Whether the kind has this word in it: `mobile`, `work_mobile`, `homeFax`.
    private func isOf(_ word: StaticString) -> Bool {
        guard let kind, kind.utf8.count >= word.utf8CodeUnitCount else { return false }
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        return kind.asciiLowercased.utf8.withContiguousStorageIfAvailable { kind in
            (0...kind.count - word.count).contains { kind[$0..<$0 + word.count].elementsEqual(word) }
        } ?? false
    }
}

extension [FoundContact] {
    func first(kind: String) -> FoundContact? { first { $0.kind?.asciiLowercased == kind } }

    /// The primary number at work, or else the first that is neither mobile nor fax.
    var telephone: String? {
        let work = first { $0.isPrimary && $0.kind?.asciiLowercased == "work" }
        return (work ?? first { !$0.isMobile && !$0.isFax })?.value
    }

    /// Each value once; nil if they add nothing to the known values and their kinds.
    func all(besides known: [String?: String?]) -> [User.Contact]? {
        let addsNothing = allSatisfy { contact in
            guard let kind = known[contact.value] else { return false }
            return contact.kind == nil || contact.kind == kind
        }
        var seen: Set<String> = []
        return addsNothing
            ? nil
            : filter { seen.insert($0.value.lowercased()).inserted }.map {
                User.Contact(value: $0.value, kind: $0.kind)
            }
    }
}

extension JSONValue {
    /// The contacts in a text, an object or a list of either.
    /// - Parameter given: the kind of all of them, if the format gives one.
    func contacts(ofKind given: String?) -> [FoundContact] {
        if kind == .array { return (elements(upTo: 64) ?? []).compactMap { $0.contact(given) } }
        return contact(given).map { [$0] } ?? []
    }

    private func contact(_ given: String?) -> FoundContact? {
        if let plainText { return FoundContact(value: plainText, kind: given) }
        var (found, isPrimary) = ([String: String](), false)
        for (name, value) in members ?? [] {
            let name = name.asciiLowercased
            found[name] = value.plainText
            if name == "primary" { isPrimary = value.scalar?.asciiLowercased == "true" }
        }
        guard let value = found["value"] ?? found["address"] ?? found["number"] else { return nil }
        // The name beside an address is a person's.
        let name = value.contains("@") ? nil : found["name"]
        let kind = given ?? found["type"] ?? found["kind"] ?? found["label"] ?? name
        return FoundContact(value: value, kind: kind, isPrimary: isPrimary)
    }
}

extension String {
    /// An email address or a number without the scheme of its URI (RFC 6068 and RFC 3966, which SCIM recommends). Of a
    /// number's parameters, the extension stays.
    fileprivate var contactWithoutScheme: String {
        let text = trimmingBlanks()
        // Most addresses and numbers have no colon, and making a text takes time.
        guard let colon = text.utf8.prefix(7).firstIndex(of: UInt8(ascii: ":")) else { return text }
        let scheme = String(text[..<colon]).asciiLowercased
        let parts = text[text.index(after: colon)...].split(separator: scheme == "tel" ? ";" : "?")
        guard ["tel", "mailto"].contains(scheme), let first = parts.first else { return text }
        let numbers = parts.dropFirst().filter { scheme == "tel" && $0.lowercased().hasPrefix("ext=") }
            .map { " x\($0.dropFirst(4))" }
        return percentDecoded(first).trimmingBlanks() + (numbers.first ?? "")
    }
}
