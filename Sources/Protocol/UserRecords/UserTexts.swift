import Model

extension User.Name {
    /// `Title First Last`.
    package var titled: String { joined([title ?? "", first, last]) }

    /// The name with and without the title.
    package var texts: [String] { [titled, joined([first, last])] }

    private func joined(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: " ") }
}

extension User {
    /// `email` first.
    package var allEmails: [Contact] { Self.all([email], emails) }

    /// `phone` and `cell` first.
    package var allPhones: [Contact] { Self.all([phone, cell], phones) }

    package static func all(_ first: [String?], _ all: [Contact]?) -> [Contact] {
        var contacts: [Contact] = []
        for value in first.compactMap(\.self) where !contacts.contains(where: { $0.value == value }) {
            contacts.append(all?.first { $0.value == value } ?? Contact(value: value))
        }
        for contact in all ?? [] where !first.contains(contact.value) && !contacts.contains(contact) {
            contacts.append(contact)
        }
        return contacts
    }
}
