import CommandSupport
import Model
import StrictJSON

/// What a vCard has of a user. Texts stay JSON: to make a `User` of very many takes as long as to write their vCards.
struct VCardUser {
    static let texts = [
        "id", "name_first", "name_last", "name_title", "display_name", "username", "gender", "email", "phone",
        "cell",
        "job_title", "department", "company", "address_street", "address_city", "address_state",
        "address_postcode", "address_country", "address_utc_offset",
    ]
    static let others = [
        "emails", "phones", "born_at", "updated_at", "address_latitude", "address_longitude",
    ]
    static let pictures = ["picture_large", "picture_medium", "picture_thumbnail"]

    let id, first, last: RawJSON
    let title, displayName, username, gender, email, phone, cell, jobTitle, department, company: RawJSON?
    /// Street, city, state, postcode, country.
    let place: [RawJSON?]
    let utcOffset: RawJSON?
    let emails, phones: [User.Contact]?
    let bornAt, updatedAt: Timestamp?
    let latitude, longitude: Double?

    /// Nil if a member is missing or has another type.
    init?(_ record: RawRecord) {
        for field in Self.texts.indices {
            guard record[field]?.kind ?? .string == .string else { return nil }
        }
        guard let id = record[0], let first = record[1], let last = record[2] else { return nil }
        (self.id, self.first, self.last) = (id, first, last)
        (title, displayName, username, gender) = (record[3], record[4], record[5], record[6])
        (email, phone, cell) = (record[7], record[8], record[9])
        (jobTitle, department, company) = (record[10], record[11], record[12])
        (place, utcOffset) = ((13...17).map { record[$0] }, record[18])

        var isValid = true
        func value<Value>(_ field: Int, _ read: (RawJSON) -> Value?) -> Value? {
            guard let raw = record[Self.texts.count + field] else { return nil }
            let value = read(raw)
            if value == nil { isValid = false }
            return value
        }
        func time(_ value: RawJSON) -> Timestamp? { value.string.flatMap(Timestamp.init(rfc3339:)) }
        (emails, phones) = (value(0, \.contacts), value(1, \.contacts))
        (bornAt, updatedAt) = (value(2, time), value(3, time))
        (latitude, longitude) = (value(4, \.double), value(5, \.double))
        guard isValid else { return nil }
    }

    /// FN is required, and must not be empty.
    var shownName: [RawJSON] {
        if isFilled(displayName), let displayName { return [displayName] }
        let titled = [title, first, last].compactMap { isFilled($0) ? $0 : nil }
        if !titled.isEmpty { return titled }
        return [[username, email].first { isFilled($0) }.flatMap(\.self) ?? id]
    }

    private func isFilled(_ text: RawJSON?) -> Bool { text?.content?.isEmpty == false }

    static func picture(_ record: RawRecord) -> User.Picture? {
        let start = texts.count + others.count
        let addresses = pictures.indices.map { record[start + $0]?.string }
        return addresses.allSatisfy { $0 == nil }
            ? nil : User.Picture(large: addresses[0], medium: addresses[1], thumbnail: addresses[2])
    }
}

extension VCard {
    /// - Parameter record: from `reader`.
    package static func picture(_ record: RawRecord) -> User.Picture? { VCardUser.picture(record) }
}
