import CommandSupport
import FoundationEssentials
import Model
import StrictJSON

/// A user as a vCard 4.0 (RFC 6350).
///
/// Members without a property are left out: age, nationality, registration, employee number, manager and the picture's
/// address.
package enum VCard {
    /// Reads what a vCard has of a user.
    package static let reader = FieldReader(VCardUser.texts + VCardUser.others + VCardUser.pictures)

    package static func text(_ user: User, photo: FetchedPicture?, _ destination: Destination) -> [UInt8] {
        let record = JSONValue(trusting: (try? StrictJSON.encode(user)) ?? [])
        return reader.read(record) { text($0, photo: photo, destination) } ?? []
    }

    /// Nil if a member is missing or has another type.
    /// - Parameters:
    ///   - record: from `reader`.
    ///   - photo: nil if none is cached.
    package static func text(_ record: RawRecord, photo: FetchedPicture?, _ destination: Destination)
        -> [UInt8]?
    {
        guard let user = VCardUser(record) else { return nil }
        var card = VCardLines(destination)
        card.add("BEGIN", "VCARD")
        card.add("VERSION", "4.0")
        card.add("UID;VALUE=text", text: user.id)
        card.add("FN", texts: user.shownName, separator: UInt8(ascii: " "))
        card.add("N", texts: [user.last, user.first, nil, user.title, nil])
        card.add("NICKNAME", text: user.username)
        for email in User.all([user.email?.string], user.emails) {
            card.add("EMAIL\(parameter(places(email)))", text: email.value)
        }
        let cell = user.cell?.string
        for phone in User.all([user.phone?.string, cell], user.phones) {
            let use = phone.value == cell ? "cell" : use(of: phone)
            card.add("TEL\(parameter(places(phone) + [use]))", text: phone.value)
        }
        if let department = user.department {
            card.add("ORG", texts: [user.company, department])
        } else {
            card.add("ORG", text: user.company)
        }
        card.add("TITLE", text: user.jobTitle)
        if user.place.contains(where: { $0 != nil }) { card.add("ADR", texts: [nil, nil] + user.place) }
        card.add("BDAY", user.bornAt.map { without("-", $0.date) })
        switch user.gender?.string {
        case "male": card.add("GENDER", "M")
        case "female": card.add("GENDER", "F")
        // Section 6.2.7.
        case .some: card.add("GENDER", texts: [nil, user.gender])
        case nil: break
        }
        if let latitude = user.latitude, let longitude = user.longitude, latitude.magnitude <= 90,
            longitude.magnitude <= 180
        {
            card.add("GEO", "geo:\(decimal(latitude)),\(decimal(longitude))")
        }
        if let offset = user.utcOffset?.string {
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

    private static func without(_ separators: StaticString, _ text: String) -> String {
        separators.withUTF8Buffer { separators in
            String(decoding: text.utf8.filter { !separators.contains($0) }, as: UTF8.self)
        }
    }

    /// Section 5.6.
    private static func parameter(_ types: [String]) -> String {
        types.isEmpty ? "" : ";TYPE=" + types.joined(separator: ",")
    }

    private static func places(_ contact: User.Contact) -> [String] {
        guard let kind = contact.kind.map(Kind.init) else { return [] }
        if kind.has("work") || kind.has("business") { return ["work"] }
        return kind.has("home") ? ["home"] : []
    }

    /// Section 6.4.1.
    private static func use(of phone: User.Contact) -> String {
        guard let kind = phone.kind.map(Kind.init) else { return "voice" }
        if kind.has("fax") { return "fax" }
        if kind.has("mobile") || kind.has("cell") { return "cell" }
        return kind.has("pager") ? "pager" : "voice"
    }

    private struct Kind {
        private let text: [UInt8]

        init(_ kind: String) { text = Array(kind.lowercased().utf8) }

        func has(_ word: StaticString) -> Bool {
            word.withUTF8Buffer { word in
                var start = 0
                while start + word.count <= text.count {
                    var length = 0
                    while length < word.count, text[start + length] == word[length] { length += 1 }
                    if length == word.count { return true }
                    start += 1
                }
                return false
            }
        }
    }

    /// `20260102T030405Z` (section 4.3.5).
    private static func revision(_ time: Timestamp) -> String {
        without("-:", String(Substring(time.description.utf8.prefix { $0 != UInt8(ascii: ".") }))) + "Z"
    }

    /// Without the exponent that Swift writes for tiny numbers: geo URIs (RFC 5870) have none.
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
        var digits = text.utf8[...]
        let sign = digits.first == UInt8(ascii: "-") ? "-" : "+"
        if digits.first == UInt8(ascii: "-") || digits.first == UInt8(ascii: "+") {
            digits = digits.dropFirst()
        }
        guard let colon = digits.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let (hours, minutes) = (digits[..<colon], digits[colon...].dropFirst())
        guard 1...2 ~= hours.count, minutes.count == 2, isNumber(hours, below: 24),
            isNumber(minutes, below: 60)
        else { return nil }
        return sign + (hours.count == 1 ? "0" : "") + String(Substring(hours)) + String(Substring(minutes))
    }

    private static func isNumber(_ digits: Substring.UTF8View, below limit: Int) -> Bool {
        var number = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return false }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number < limit
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
