import Model
import Platform

extension Settings {
    struct CardDAV: Sendable {
        /// Nil: there is no address book.
        var port: Int?
        var search: String?
        var department: String?
        var pictures = false
        var maxUsers = 50_000
        var kinds: [UserKind] = [.person]
        /// Beside config.yaml; nil without a home directory.
        var passwordFile: SecretPath?
    }
}

extension Setting {
    static let carddav: [Setting] = [
        Setting(
            "carddav.port", \.carddav.port, .port,
            "The port of this machine at which mail clients find an address book"),
        Setting(
            "carddav.search", \.carddav.search, .words,
            "Only the users in the address book whom a search finds with these words"),
        Setting(
            "carddav.department", \.carddav.department, .words,
            "Only the users of this department in the address book"),
        Setting(
            "carddav.pictures", \.carddav.pictures, .boolean, alone: "true",
            "Put cached thumbnails into the address book"),
        Setting(
            "carddav.max_users", \.carddav.maxUsers, .integer(1...1_000_000),
            "The most users in an address book: a larger one is not served"),
        Setting(
            "carddav.kinds", \.carddav.kinds, .kinds,
            "The kinds of users in the address book, such as person, group, room"),
    ]
}
