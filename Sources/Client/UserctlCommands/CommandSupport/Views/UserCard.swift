import Model
import TerminalViews
import UserdAPI

/// The details of a card beside the user's record.
struct CardDetails: Sendable {
    var portrait: Picture?
    /// The cached user who is this one's manager.
    var manager: User?
    /// The managers' names up to the head of all, if they were asked for.
    var managers: [String] = []
    /// Number of users whose manager this one is.
    var reports = 0
}

struct UserCard: View {
    let user: User
    var details = CardDetails()
    var fields = UserField.all
    /// The height that is seen; nil for any. A picture above the addresses and numbers has what they leave.
    var rows: Int?
    /// Whether the addresses are links.
    var links = false

    var body: some View {
        Card(user.shownName) {
            if let portrait = details.portrait {
                Illustrated(
                    portrait, Fields(upToPhones + others), leastWidth: leastWidth, rows: rows.map { $0 - 1 },
                    seen: upToPhones.count)
            } else {
                Fields(upToPhones + others)
            }
        }
    }

    /// The width of the fields beside the picture: enough for each address that is not very long, below its label.
    private var leastWidth: Int {
        let widths = user.allEmails.map { $0.value.sanitised.displayWidth + 2 }
        return max(40, widths.filter { $0 <= 72 }.max() ?? 0)
    }

    /// Fields with lines of their own.
    private static let placed: Set<UserField> = [
        .id, .username, .displayName, .gender, .email, .emails, .phone, .cell, .phones, .bornAt, .age,
        .nationality,
    ]

    @ListBuilder<Field> private var upToPhones: [Field] {
        Field("Name", user.name.titled == user.shownName ? nil : user.name.titled)
        for field in unplaced where !field.isDate { self.field(field) }
        Field("Manager", manager)
        Field("Managers", details.managers.joined(separator: " → "))
        Field("Reports", details.reports > 0 ? grouped(details.reports) : nil)
        for email in user.allEmails where !email.value.isEmpty {
            Field("Email", Text(email.text).link(links ? ActionAddress.mail(to: email.value) : nil))
        }
        for phone in user.allPhones { Field(phone.value == user.cell ? "Cell" : "Phone", phone.text) }
    }

    @ListBuilder<Field> private var others: [Field] {
        Field("Username", user.username)
        Field("Born", born)
        Field("Gender", user.gender)
        Field("Nationality", user.nationality)
        Field("Street", user.address.street?.inOneLine)
        Field("City", joined(user.address.postcode, user.address.city))
        Field("State", user.address.state)
        Field("Country", user.address.country)
        Field("Coordinates", coordinates)
        Field(
            "Time zone",
            user.address.utcOffset.map { "UTC\($0.first == "+" || $0.first == "-" ? "" : "+")\($0)" })
        for field in unplaced where field.isDate { self.field(field) }
        Field("Picture", user.picture?.large)
        Field("ID", user.id)
    }

    private var unplaced: [UserField] {
        fields.filter { $0.object == nil && !Self.placed.contains($0) }
    }

    private func field(_ field: UserField) -> Field? {
        var user = user
        return Field(field.title, field.text(of: &user))
    }

    private var manager: String? {
        guard let manager = details.manager else { return user.manager?.shownName }
        let address = manager.email ?? manager.username
        return manager.shownName + (address.map { " (\($0))" } ?? "")
    }

    private var born: String? {
        let age = user.age.map { counted($0, "year") + " old" }
        return [user.bornAt?.date, age].compactMap { $0 }.joined(separator: ", ")
    }

    private var coordinates: String? {
        guard let latitude = user.address.latitude, let longitude = user.address.longitude else { return nil }
        return "\(latitude), \(longitude)"
    }

    private func joined(_ parts: String?...) -> String {
        parts.compactMap { $0 }.joined(separator: " ")
    }
}
