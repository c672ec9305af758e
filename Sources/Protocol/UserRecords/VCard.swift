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
        var card = VCardLines(destination)
        card.add("BEGIN", "VCARD")
        card.add("VERSION", "4.0")
        card.add("UID;VALUE=text", text: user.id)
        // Required, and must not be empty.
        let names = [user.displayName, user.name.titled, user.username, user.email]
        card.add("FN", text: names.first { $0?.isEmpty == false } ?? user.id)
        card.add("N", texts: [user.name.last, user.name.first, nil, user.name.title, nil])
        card.add("NICKNAME", text: user.username)
        for email in user.allEmails {
            card.add("EMAIL\(parameter(places(email)))", text: email.value)
        }
        for phone in user.allPhones {
            let use = phone.value == user.cell ? "cell" : use(of: phone)
            card.add("TEL\(parameter(places(phone) + [use]))", text: phone.value)
        }
        if let department = user.department {
            card.add("ORG", texts: [user.company, department])
        } else {
            card.add("ORG", text: user.company)
        }
        card.add("TITLE", text: user.jobTitle)
        let address = user.address
        let place = [address.street, address.city, address.state, address.postcode, address.country]
        // The office is the extended address, as Outlook writes it.
        let extended = [nil, user.office] + place
        if extended.contains(where: { $0 != nil }) { card.add("ADR", texts: extended) }
        card.add("BDAY", user.bornAt.map { $0.date.filter { $0 != "-" } })
        switch user.gender {
        case "male": card.add("GENDER", "M")
        case "female": card.add("GENDER", "F")
        // Section 6.2.7.
        case .some: card.add("GENDER", texts: [nil, user.gender])
        case nil: break
        }
        if let latitude = address.latitude, let longitude = address.longitude, latitude.magnitude <= 90,
            longitude.magnitude <= 180
        {
            card.add("GEO", "geo:\(decimal(latitude)),\(decimal(longitude))")
        }
        if let offset = address.utcOffset {
            if let digits = utcOffset(offset) {
                card.add("TZ;VALUE=utc-offset", digits)
            } else {
                card.add("TZ", text: offset)
            }
        }
        card.add("REV", user.updatedAt.map(revision))
        card.add("PHOTO", photo.flatMap(dataURI))
        card.add("END", "VCARD")
        return card.bytes
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
        time.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    /// A number without an exponent, which Swift writes for tiny numbers and geo URIs (RFC 5870) don't allow.
    private static func decimal(_ degrees: Double) -> String {
        let text = degrees.description
        guard let exponent = text.utf8.firstIndex(of: UInt8(ascii: "e")), degrees.magnitude < 1,
            let zeros = Int(text[exponent...].dropFirst(2))
        else { return text }
        let digits = text[..<exponent].filter(\.isNumber)
        return (degrees < 0 ? "-0." : "0.") + String(repeating: "0", count: zeros - 1) + digits
    }

    /// `+9:30` as `+0930` (section 4.7), `0:00` as `+0000`; nil if the text is not an offset.
    private static func utcOffset(_ text: String) -> String? {
        let sign = text.first == "-" ? "-" : "+"
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.joined().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let hours = Int(parts[0]), let minutes = Int(parts[1]), hours < 24, minutes < 60,
            parts[0].utf8.count <= 2, parts[1].utf8.count == 2
        else { return nil }
        return sign + (parts[0].utf8.count == 1 ? "0" : "") + parts.joined()
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
