import Model
import UserdAPI

/// The path of a new file for a user's vCard: if the name is taken, it gets a number.
func newCardPath(of user: User, in folder: String) -> String {
    unused { (folder.hasSuffix("/") ? folder : folder + "/") + cardFileName(of: user, number: $0) }
}

/// `Anna Keller.vcf` or `Anna Keller (2).vcf`: at most 200 bytes, without slashes and control characters, and never of a
/// hidden file.
func cardFileName(of user: User, number: Int = 1) -> String {
    let end = (number > 1 ? " (\(number))" : "") + ".vcf"
    let names = [user.displayName ?? "", user.name.untitled, user.username ?? "", user.id]
    var name = names.lazy.map(safeName).first { !$0.isEmpty } ?? "user"
    while name.utf8.count > longestName - end.utf8.count { name.unicodeScalars.removeLast() }
    return name + end
}

/// In bytes. File systems allow 255.
private let longestName = 200

private func safeName(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
        if scalar.properties.isWhitespace { return " " }
        return scalar == "/" || scalar.isUnsafe ? "_" : scalar
    }
    let words = String(String.UnicodeScalarView(scalars)).split(separator: " ")
    let name = words.joined(separator: " ")
    // A file whose name begins with a full stop is hidden; a name that begins with a dash looks like an option.
    guard let first = name.unicodeScalars.first, first == "." || first == "-" else { return name }
    return "_" + String(name.unicodeScalars.dropFirst())
}
