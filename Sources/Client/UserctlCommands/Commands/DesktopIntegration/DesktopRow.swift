import Model
import UserdAPI

/// A person as a launcher shows them: short, and without anything that a desktop could take for more than text.
struct DesktopRow: Hashable, Sendable {
    let id: String
    let name: String
    /// Title and department, as far as the person has them.
    let description: String
    let actions: [Action]

    /// A deed for this person, beside opening the card.
    enum Action: String, CaseIterable, Sendable {
        case mail, call, copy

        /// A name that the icon sets of GNOME and KDE have.
        var icon: String {
            switch self {
            case .mail: "mail-message-new"
            case .call: "call-start"
            case .copy: "edit-copy"
            }
        }

        func title(_ words: DesktopWords) -> String {
            switch self {
            case .mail: words.mail
            case .call: words.call
            case .copy: words.copy
            }
        }

        /// Nil if the person lacks what it needs.
        func deed(_ user: User) -> DesktopDeed? {
            switch self {
            case .mail: (try? ActionTemplate.mail?.address(user.value(of:))).map { .open($0) }
            case .call: (try? ActionTemplate.call?.address(user.value(of:))).map { .open($0) }
            // Pasted into a terminal, anything else could be a command.
            case .copy: user.value(of: .email).flatMap { $0.isEmailAddress ? .copy($0) : nil }
            }
        }
    }

    /// Nil for an id that D-Bus and a command line can't carry.
    init?(_ user: User) {
        guard !user.id.isEmpty,
            !user.id.unicodeScalars.contains(where: { $0 == "\0" || $0.properties.isNoncharacterCodePoint })
        else { return nil }
        let names = [user.displayName, user.name.untitled, user.username, user.email, user.id]
        let places = [user.jobTitle, user.department].compactMap { $0.nonempty?.ofLauncher }
        id = user.id
        // GNOME shows no row at all if one has no name.
        name = names.lazy.compactMap { $0?.ofLauncher }.first { !$0.isEmpty } ?? "?"
        description = places.joined(separator: " · ")
        actions = Action.allCases.filter { $0.deed(user) != nil }
    }
}

extension String {
    /// In characters of Unicode.
    private static let longest = 100

    /// The beginning, with neither `<` nor `>`: Qt looks for markup in any text.
    fileprivate var ofLauncher: String {
        let start = String(unicodeScalars.prefix(Self.longest)).sanitised
        return String(start.unicodeScalars.prefix(Self.longest)).trimmingBlanks()
            .replacing("<", with: "‹").replacing(">", with: "›")
    }
}

extension String? {
    fileprivate var nonempty: String? { flatMap { $0.isEmpty ? nil : $0 } }
}
