import Model
import SQLite

/// Makes rows of `users`, for searching and sorting, and users' records.
struct UserRow: Sendable {
    private let records: UserRecordWriter
    private let searched: [UserField]

    init(_ fields: [UserField]) {
        records = UserRecordWriter(fields)
        searched = fields.filter(\.isSearched)
    }

    static let columns = [
        "id", "username", "email", "gender", "nationality", "name_key", "age_key", "registered_at",
        "department_key", "title_key", "city_key", "country_key", "company_key", "manager_key", "words",
        "digits", "kind",
    ]

    /// Finds a user's number by the values of its row, and whether the cached row is the same.
    static let find = """
        SELECT number, \((columns + ["record"]).enumerated().map { "\($1) IS ?\($0 + 1) COLLATE BINARY" }
            .joined(separator: " AND "))
        FROM users JOIN user_records USING (number) WHERE id = ?1
        """

    /// The values in the order of `columns`, then the record.
    func values(_ user: User) -> [Value] {
        // U+0001 sorts before all letters, so that Li comes before Lima.
        let name = Self.key("\(user.name.last)\u{1}\(user.name.first)")
        let telephones = user.telephones
        return [
            user.id.value, user.username.value, user.email.value, user.gender.value, user.nationality.value,
            name.value, user.ageKey.value, (user.registeredAt?.description).value,
            user.department.map(Self.key).value, user.jobTitle.map(Self.key).value,
            user.address.city.map(Self.key).value, user.address.country.map(Self.key).value,
            user.company.map(Self.key).value,
            user.manager.flatMap(ManagerKey.of).value, .utf8(user.words(telephones, searched)),
            Self.digits(telephones).value, (user.otherKind?.rawValue).value, .utf8(records.json(user)),
        ]
    }

    /// A text as it is compared and sorted: without case and accents, in the order of its alphabet.
    static func key(_ text: String) -> String { alphabetical(folded(text)) }

    private static func digits(_ telephones: [TelephoneNumber]) -> String? {
        var seen: Set<String> = []
        let numbers = telephones.flatMap { [$0.digits, $0.extensionDigits ?? ""] }
            .filter { !$0.isEmpty && seen.count < IndexedWords.maximum && seen.insert($0).inserted }
        return numbers.isEmpty ? nil : numbers.joined(separator: " ")
    }

    /// Sorts rows by name, the order in which the commit reads them. Keeps the order if an id repeats,
    /// because the first of its rows counts.
    static func sorted(_ rows: [[Value]]) -> [[Value]] {
        guard Set(rows.map { $0[0] }).count == rows.count else { return rows }
        func name(_ row: [Value]) -> String {
            if case .text(let name) = row[nameColumn] { name } else { "" }
        }
        return rows.sorted { name($0) < name($1) }
    }

    private static let nameColumn = columns.firstIndex(of: "name_key")!
}

extension User {
    /// Nil for persons.

    fileprivate var telephones: [TelephoneNumber] {
        ([phone, cell] + (phones ?? []).map(\.value)).compactMap { $0.map { TelephoneNumber($0) } }
    }

    fileprivate func words(_ telephones: [TelephoneNumber], _ searched: [UserField]) -> [UInt8] {
        var words = IndexedWords()
        words.kind = .name
        words.add(name: name.first)
        words.add(name: name.last)
        words.add(whole: name.last, name.first)
        words.add(whole: name.first, name.last)
        if let displayName, displayName != "\(name.first) \(name.last)" {
            words.add(displayName)
            words.add(whole: displayName)
        }
        words.kind = nil
        if let username, username != email { words.add(address: username) }
        if let email { words.add(address: email) }
        for contact in emails ?? [] where contact.value != email { words.add(address: contact.value) }
        var user = self
        for field in searched { if let text = field.text(of: &user) { words.add(text) } }
        if let employeeNumber { words.add(employeeNumber: employeeNumber) }
        words.kind = .company
        if let company { words.add(company) }
        for telephone in telephones {
            // A longer number is found by its end, and these by the end of a longer one.
            let short = [
                telephone.isInternational ? nil : telephone.digits, telephone.extensionDigits,
            ]
            for digits in short.compactMap({ $0 }) where digits.count >= TelephoneNumber.shortest {
                words.append("#\(digits)")
            }
        }
        return words.text
    }

    /// Days from birth to 1970, so that younger users have lower keys. Without a birthday, the age counts
    /// back from 2026. Migration 6 computes the same.
    fileprivate var ageKey: Int? {
        if let bornAt {
            let (days, rest) = bornAt.milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
            return Int(rest < 0 ? 1 - days : -days)
        }
        // 400 years have 146,097 days, and 2026 begins 20,454 after 1970.
        return age.map { min(max($0, -1_000_000_000), 1_000_000_000) * 146_097 / 400 - 20_454 }
    }
}
