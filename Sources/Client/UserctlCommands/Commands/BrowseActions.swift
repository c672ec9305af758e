import Model
import UserdAPI

extension Browser.Action {
    /// - Parameter folder: the folder that files are saved in.
    /// - Returns: what was done. Throws a `CommandError`.
    func carryOut(
        _ connection: UserdOrCache, _ clipboard: Clipboard, in folder: String
    ) throws -> String {
        switch self {
        case .copy(let text, let name): return clipboard.copy(text, named: name)
        case .mail(let address):
            try Desktop.mail("mailto:" + addressForURL(address), clipboard.environment)
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
func addressForURL(_ address: String) -> String {
    address.percentEncoded { $0.isAlphanumeric || "@._-+~".utf8.contains($0) }
}
