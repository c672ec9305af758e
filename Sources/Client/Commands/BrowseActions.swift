import Browse
import CommandSupport
import Glibc
import Model
import Platform
import UserRecords
import UserdAPI

extension Browser.Action {
    /// - Parameter folder: the folder that files are saved in.
    /// - Returns: what was done. Throws a `CommandError`.
    package func carryOut(
        _ connection: UserdOrCache, _ clipboard: Clipboard, in folder: String
    ) throws -> String {
        switch self {
        case .copy(let text, let name): return clipboard.copy(text, named: name)
        case .mail(let address):
            try open("mailto:" + addressForURL(address))
            return "asked your mail program to write to \(address)"
        case .save(let user):
            let path = newCardPath(of: user, in: folder)
            let card = VCard.text(
                user, version: .v4, photo: connection.cachedPicture(user.picture))
            try writeAtomically(card, to: path)
            return "saved \(path)"
        }
    }
}

/// Percent-encodes characters that have a meaning in a URL (RFC 6068, section 2).
package func addressForURL(_ address: String) -> String {
    address.utf8.map { byte in
        let character = Character(UnicodeScalar(byte))
        if character.isASCII, character.isLetter || character.isNumber || "@._-+~".contains(character) {
            return String(character)
        }
        let digits = String(byte, radix: 16, uppercase: true)
        return "%" + (digits.count == 1 ? "0" : "") + digits
    }.joined()
}

/// Starts the desktop's program for the address. The program outlives userctl.
private func open(_ url: String) throws(CommandError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0...2 as ClosedRange<Int32> {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // In a process group of its own, so that Ctrl-C does not reach it.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let words = ["xdg-open", url]
    let arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawnp(&process, "xdg-open", &actions, &attributes, arguments, environ) == 0 else {
        throw CommandError(
            "can't start xdg-open, which opens your mail program", .failed,
            advice: "install xdg-utils, or copy the address")
    }
    _ = startThread("mail") { [process] in waitpid(process, nil, 0) }
}
