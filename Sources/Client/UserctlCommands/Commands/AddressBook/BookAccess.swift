import Glibc
import Model
import Platform
import UserdAPI

/// What a mail client needs for the address book.
struct BookAccess: Encodable {
    let url: String
    let user: String
    let password: String

    init(port: Int, user: String, password: String) {
        // The first paths that clients ask for lead to the same book.
        url = "http://127.0.0.1:\(port)/dav/me/books/directory/"
        (self.user, self.password) = (user, password)
    }

    /// What to do in each client.
    func instructions(passwordFile file: String) -> [String] {
        let command = "cat \(shellQuoted(file))"
        return [
            "Address:   \(url)", "User:      \(user)", "Password:  \(command)", "",
            "Thunderbird: Address Book, New Address Book, Add CardDAV Address Book. Enter user and address, then the "
                + "password, and continue with the book that it finds.",
            "",
            "Evolution and GNOME Contacts: `userctl carddav enable --evolution`, then restart Evolution, and enter the "
                + "password when it asks. By hand: File, New, Address Book, type CardDAV.",
            "",
            "KAddressBook: Add Address Book, DAV groupware resource. Cancel the assistant, add the address as CardDAV, and "
                + "enter user and password.",
            "",
            "vdirsyncer, for khard and others, in its config, then `vdirsyncer discover` and `vdirsyncer sync`:",
        ] + vdirsyncer(passwordFile: file).map { $0.isEmpty ? $0 : "  " + $0 }
    }
}

extension BookAccess {
    /// A whole configuration: https://vdirsyncer.pimutils.org/en/stable/config.html
    private func vdirsyncer(passwordFile file: String) -> [String] {
        [
            "[general]", "status_path = \"~/.local/share/vdirsyncer/status/\"", "",
            "[pair company]", "a = \"company_files\"", "b = \"company_userd\"",
            "collections = [\"from b\"]", "conflict_resolution = \"b wins\"", "",
            "[storage company_files]", "type = \"filesystem\"", "path = \"~/.local/share/contacts/company/\"",
            "fileext = \".vcf\"", "",
            "[storage company_userd]", "type = \"carddav\"", "url = \"\(url)\"", "username = \"\(user)\"",
            "password.fetch = [\"command\", \"cat\", \"\(file)\"]", "read_only = true",
        ]
    }
}

/// The file with the password, beside config.yaml.
struct BookPassword {
    let path: String

    init(configFile: String) {
        path = parent(of: configFile) + "/" + BaseDirectories.addressBookPassword
    }

    /// Nil if there is no such file. Throws a `CommandError` if userd would not take what is in it.
    var text: String? {
        get throws {
            var bytes: [UInt8] = []
            do throws(FileError) { bytes = try RegularFile(path, upTo: 64 << 10).bytes } catch {
                if error.isMissing { return nil }
                throw CommandError("\(path) can't be read: \(error)", .failed)
            }
            var password = String(decoding: bytes.withoutByteOrderMark, as: UTF8.self)
            if password.last?.isNewline == true { password.removeLast() }
            guard password.utf8.count >= 16, password.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw CommandError(
                    "\(path) is not a password of 16 or more visible ASCII characters, so userd refuses it",
                    .failed, advice: "remove it, then `userctl carddav enable` writes one")
            }
            return password
        }
    }

    /// Writes a random one of 128 bits, which only this user may read.
    func make() throws {
        try makePrivateFolder(parent(of: path))
        let password = UInt128.random(in: 0 ... .max).hexadecimal
        try replaceDurably(path, with: [Array((password + "\n").utf8)])
    }

    func remove() throws {
        try removeDurably(path)
    }
}
