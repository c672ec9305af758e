import FoundationEssentials
import Model

/// A user as a vCard 4.0 (RFC 6350) or 3.0 (RFC 2426). Sections are those of RFC 6350, unless it says otherwise.
///
/// Members without a property are left out: age, nationality, registration, employee number and the picture's address; in 3.0
/// also the gender.
package enum VCard {
    package enum Version: Sendable { case v3, v4 }

    /// Has to grow with each change in what is written: address books compare versions of cards.
    package static let formatRevision = 5

    /// - Parameters:
    ///   - photo: nil if none is cached.
    ///   - isForTerminal: makes text safe, and ends lines with LF instead of CRLF.
    package static func text(
        _ user: User, version: Version, photo: FetchedPicture?, isForTerminal: Bool = false
    ) -> [UInt8] {
        let is3 = version == .v3
        var card = VCardLines(isForTerminal: isForTerminal)
        card.add("BEGIN", "VCARD")
        card.add("VERSION", is3 ? "3.0" : "4.0")
        card.add(is3 ? "UID" : "UID;VALUE=text", text: user.id)
        if user.kind == .group {
            card.add(is3 ? "X-ADDRESSBOOKSERVER-KIND" : "KIND", "group")
        }
        // Required, and must not be empty.
        let names = [user.shownName, user.username, user.email]
        card.add("FN", text: names.first { $0?.isEmpty == false } ?? user.id)
        card.add("N", texts: [user.name.last, user.name.first, nil, user.name.title, nil])
        card.add("NICKNAME", text: user.username)
        for email in user.allEmails {
            card.add(
                "EMAIL\(parameter((is3 ? ["internet"] : []) + places(email), version))", text: email.value)
        }
        for phone in user.allPhones {
            // A number with several kinds may also be a fax.
            let use = phone.value == user.cell ? "cell" : phone.value == user.phone ? "voice" : use(of: phone)
            card.add("TEL\(parameter(places(phone) + [use], version))", text: phone.value)
        }
        if let department = user.department {
            card.add("ORG", texts: [user.company, department])
        } else {
            card.add("ORG", text: user.company)
        }
        card.add("TITLE", text: user.jobTitle)
        card.add("CATEGORIES", text: category(of: user))
        // Evolution reads its own property alone, in both versions.
        card.add("X-EVOLUTION-MANAGER", text: user.manager?.name)
        if !is3 { card.add("RELATED;VALUE=text;TYPE=x-manager", text: user.manager?.name) }
        let address = user.address
        let place = [address.street, address.city, address.state, address.postcode, address.country]
        // The office is the extended address, as Outlook writes it.
        let extended = [nil, user.office] + place
        if extended.contains(where: { $0 != nil }) { card.add("ADR", texts: extended) }
        card.add("BDAY", user.bornAt.map { is3 ? $0.date : $0.date.filter { $0 != "-" } })
        if !is3 { addGender(user.gender, to: &card) }
        if let latitude = address.latitude, let longitude = address.longitude, latitude.magnitude <= 90,
            longitude.magnitude <= 180
        {
            let (latitude, longitude) = (decimal(latitude), decimal(longitude))
            card.add("GEO", is3 ? "\(latitude);\(longitude)" : "geo:\(latitude),\(longitude)")
        }
        if let offset = address.utcOffset { addZone(offset, version, to: &card) }
        card.add("REV", user.updatedAt.map { is3 ? String($0.description.prefix(19)) + "Z" : revision($0) })
        if let photo { add(photo, version, to: &card) }
        card.add("END", "VCARD")
        return card.bytes
    }

    /// KIND has no value for a room that has an address, and none for a mailbox.
    private static func category(of user: User) -> String? {
        switch user.kind {
        case .room: "Room"
        case .mailbox: "Shared mailbox"
        case .person, .group, .contact, nil: nil
        }
    }

    /// Section 6.2.7.
    private static func addGender(_ gender: String?, to card: inout VCardLines) {
        switch gender {
        case "male": card.add("GENDER", "M")
        case "female": card.add("GENDER", "F")
        case .some: card.add("GENDER", texts: [nil, gender])
        case nil: break
        }
    }

    /// In 3.0 with a colon (RFC 2426, section 3.4.1).
    private static func addZone(_ offset: String, _ version: Version, to card: inout VCardLines) {
        guard let digits = utcOffset(offset) else {
            return card.add(version == .v3 ? "TZ;VALUE=text" : "TZ", text: offset)
        }
        switch version {
        case .v3: card.add("TZ", digits.prefix(3) + ":" + digits.suffix(2))
        case .v4: card.add("TZ;VALUE=utc-offset", digits)
        }
    }

    /// Left out if upstream's type is malformed.
    private static func add(_ photo: FetchedPicture, _ version: Version, to card: inout VCardLines) {
        guard photo.contentType.utf8.allSatisfy(isOfType) else { return }
        let content = Data(photo.content).base64EncodedString()
        switch version {
        case .v3:
            // RFC 2426, section 3.1.4.
            let type = photo.contentType.split(separator: "/").last ?? ""
            card.add("PHOTO;ENCODING=b;TYPE=\(type.uppercased())", content)
        case .v4: card.add("PHOTO", "data:\(photo.contentType);base64,\(content)")
        }
    }

    private static func isOfType(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || "/+-.".utf8.contains(byte)
    }

    /// Section 5.6. In 3.0 in capitals, as older programs expect.
    private static func parameter(_ types: [String], _ version: Version) -> String {
        guard !types.isEmpty else { return "" }
        let list = types.joined(separator: ",")
        return ";TYPE=" + (version == .v3 ? list.uppercased() : list)
    }

    private static func places(_ contact: User.Contact) -> [String] {
        guard let kind = contact.kind?.lowercased() else { return [] }
        return (kind.contains("work") || kind.contains("business") ? ["work"] : [])
            + (kind.contains("home") ? ["home"] : [])
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
}
