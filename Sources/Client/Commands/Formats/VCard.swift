import CommandSupport
import FoundationEssentials
import Model

/// A user as a vCard 4.0 (RFC 6350).
///
/// Members without a property are left out: age, nationality, registration, employee number, manager and the picture's
/// address.
package enum VCard {
    /// - Parameter photo: nil if none is cached.
    package static func text(_ user: User, photo: FetchedPicture?, _ destination: Destination) -> [UInt8] {
        let name = user.name
        let address = user.address
        let place = [address.street, address.city, address.state, address.postcode, address.country]
        var card = Lines(destination: destination)
        card.add("BEGIN", "VCARD")
        card.add("VERSION", "4.0")
        card.add("UID;VALUE=text", escaped(user.id))
        // FN is required, and must not be empty.
        let names = [user.displayName, name.titled, user.username, user.email, user.id].compactMap { $0 }
        card.add("FN", escaped(names.first { !$0.isEmpty } ?? ""))
        card.add("N", [name.last, name.first, "", name.title ?? "", ""].map(escaped).joined(separator: ";"))
        card.add("NICKNAME", user.username.map(escaped))
        for email in user.allEmails {
            card.add("EMAIL\(parameter(places(email)))", escaped(email.value))
        }
        for phone in user.allPhones {
            let use = phone.value == user.cell ? "cell" : use(of: phone)
            card.add("TEL\(parameter(places(phone) + [use]))", escaped(phone.value))
        }
        if user.company != nil || user.department != nil {
            let units = [user.company, user.department].map { escaped($0 ?? "") }
            card.add("ORG", user.department == nil ? units[0] : units.joined(separator: ";"))
        }
        card.add("TITLE", user.jobTitle.map(escaped))
        if place.contains(where: { $0 != nil }) {
            card.add("ADR", (["", ""] + place.map { escaped($0 ?? "") }).joined(separator: ";"))
        }
        card.add("BDAY", (user.bornAt?.date.unicodeScalars.filter { $0 != "-" }).map { String($0) })
        card.add("GENDER", user.gender.map(gender))
        if let latitude = address.latitude, let longitude = address.longitude, latitude.magnitude <= 90,
            longitude.magnitude <= 180
        {
            card.add("GEO", "geo:\(decimal(latitude)),\(decimal(longitude))")
        }
        if let offset = address.utcOffset {
            if let digits = utcOffset(offset) {
                card.add("TZ;VALUE=utc-offset", digits)
            } else {
                card.add("TZ", escaped(offset))
            }
        }
        card.add("REV", user.updatedAt.map(revision))
        card.add("PHOTO", photo.flatMap(dataURI))
        card.add("END", "VCARD")
        return card.bytes
    }

    /// A text as a property's value (section 3.4). Every character that some reader takes for a line end becomes `\n`; control
    /// characters, which vCards don't allow, become U+FFFD.
    static func escaped(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: ",")
                && $0 != UInt8(ascii: ";")
        }
        if isPlain { return text }
        var result = String.UnicodeScalarView()
        var isAfterCR = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ",", ";":
                result.append("\\")
                result.append(scalar)
            case "\n" where isAfterCR: break
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}":
                result.append(contentsOf: #"\n"#.unicodeScalars)
            case "\t": result.append(scalar)
            case "\0"..<" ", "\u{7F}"..<"\u{A0}": result.append("\u{FFFD}")
            default: result.append(scalar)
            }
            isAfterCR = scalar == "\r"
        }
        return String(result)
    }

    /// Section 5.6.
    private static func parameter(_ types: [String]) -> String {
        types.isEmpty ? "" : ";TYPE=" + types.joined(separator: ",")
    }

    private static func places(_ contact: User.Contact) -> [String] {
        guard let kind = contact.kind?.lowercased() else { return [] }
        if kind.contains("work") || kind.contains("business") { return ["work"] }
        return kind.contains("home") ? ["home"] : []
    }

    /// Section 6.4.1.
    private static func use(of phone: User.Contact) -> String {
        guard let kind = phone.kind?.lowercased() else { return "voice" }
        if kind.contains("fax") { return "fax" }
        if kind.contains("mobile") || kind.contains("cell") { return "cell" }
        return kind.contains("pager") ? "pager" : "voice"
    }

    /// `20260102T030405Z` (section 4.3.5).
    private static func revision(_ time: Timestamp) -> String {
        String(time.description.unicodeScalars.prefix { $0 != "." }.filter { $0 != "-" && $0 != ":" }) + "Z"
    }

    /// Section 6.2.7: M, F, or `;` and the text.
    private static func gender(_ text: String) -> String {
        switch text {
        case "male": "M"
        case "female": "F"
        default: ";" + escaped(text)
        }
    }

    /// Without the exponent that Swift writes for tiny numbers: geo URIs (RFC 5870) have none.
    private static func decimal(_ degrees: Double) -> String {
        let text = "\(degrees)"
        guard let exponent = text.utf8.firstIndex(of: UInt8(ascii: "e")), degrees.magnitude < 1,
            let zeros = Int(text[exponent...].dropFirst(2))
        else { return text }
        let digits = text[..<exponent].filter(\.isNumber)
        return (degrees < 0 ? "-0." : "0.") + String(repeating: "0", count: zeros - 1) + digits
    }

    /// `+9:30` as `+0930` (section 4.7), `0:00` as `+0000`; nil if the text is not an offset.
    private static func utcOffset(_ text: String) -> String? {
        var digits = text.utf8[...]
        let sign: Character = digits.first == UInt8(ascii: "-") ? "-" : "+"
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        let parts = digits.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, 1...2 ~= parts[0].count, parts[1].count == 2,
            let hours = number(parts[0]), hours < 24, let minutes = number(parts[1]), minutes < 60
        else { return nil }
        return "\(sign)\(hours < 10 ? "0" : "")\(hours)\(minutes < 10 ? "0" : "")\(minutes)"
    }

    /// Nil if it has another character than digits.
    private static func number(_ digits: Substring.UTF8View) -> Int? {
        digits.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? Int(Substring(digits)) : nil
    }

    /// RFC 2397. Nil if upstream's type is malformed.
    private static func dataURI(_ picture: FetchedPicture) -> String? {
        let isType = picture.contentType.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "/+-.".utf8.contains($0)
            }
        }
        guard isType else { return nil }
        return "data:\(picture.contentType);base64,\(Data(picture.content).base64EncodedString())"
    }
}

/// Content lines, folded at 75 octets without splitting a character (section 3.2).
private struct Lines {
    let destination: Destination
    private(set) var bytes: [UInt8] = []

    /// - Parameter value: nil leaves out the property.
    mutating func add(_ property: String, _ value: String?) {
        guard let value else { return }
        let first = bytes.count
        bytes.append(contentsOf: property.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: (destination.isTerminal ? destination.text(value) : value).utf8)
        if bytes.count - first <= 75 {
            bytes.append(contentsOf: destination.lineEnd)
            return
        }
        let line = Array(bytes[first...])
        bytes.removeSubrange(first...)
        var start = 0
        // A continuation line starts with a blank, which counts.
        while line.count - start > (start == 0 ? 75 : 74) {
            var end = start + (start == 0 ? 75 : 74)
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            bytes += line[start..<end]
            bytes += destination.lineEnd
            bytes.append(UInt8(ascii: " "))
            start = end
        }
        bytes += line[start...]
        bytes += destination.lineEnd
    }
}
