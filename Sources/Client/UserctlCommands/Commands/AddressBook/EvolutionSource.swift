import Glibc
import Platform

/// The file by which Evolution and GNOME Contacts know the address book.
/// https://wiki.gnome.org/Apps/Evolution/ESourceFileFormat
struct EvolutionSource {
    let path: String

    init(configFile: String) {
        path = parent(of: parent(of: configFile)) + "/evolution/sources/userd.source"
    }

    func write(port: Int, user: String) throws {
        try makePrivateFolder(parent(of: path))
        try writeAtomically(Array(Self.text(port: port, user: user).utf8), to: path)
    }

    /// Whether there is a file with another port, where somebody else could get the password.
    func leadsElsewhere(than port: Int) -> Bool {
        guard let bytes = try? RegularFile(path, upTo: 64 << 10).bytes else { return false }
        return !String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains("Port=\(port)")
    }

    /// Does nothing if there is none.
    func remove() throws {
        if access(path, F_OK) == 0 { try removeDurably(path) }
    }

    static func text(port: Int, user: String) -> String {
        """
        [Data Source]
        DisplayName=Directory
        Enabled=true
        Parent=carddav-stub

        [Authentication]
        Host=127.0.0.1
        Port=\(port)
        Method=plain/password
        User=\(user)
        RememberPassword=true

        [Security]
        Method=none

        [WebDAV Backend]
        ResourcePath=/dav/me/books/directory/

        [Address Book]
        BackendName=carddav

        [Autocomplete]
        IncludeMe=true

        [Offline]
        StaySynchronized=true

        [Refresh]
        Enabled=true
        IntervalMinutes=30

        """
    }
}
