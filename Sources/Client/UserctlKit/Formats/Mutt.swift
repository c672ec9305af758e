import Model
import TerminalViews

/// What mutt's `query_command` prints: a line for people, and then a line for each address, with the name and what else tells its
/// owner apart, set apart by tabs. http://www.mutt.org/doc/manual/#query
package enum Mutt {
    package static func head(_ total: Int) -> [UInt8] { Array("\(counted(total, "user")) found\n".utf8) }

    /// Nothing for who has no address, or one that is none: nobody's address has blanks or control characters.
    package static func line(_ user: User, _ destination: Destination) -> [UInt8] {
        guard let email = user.email, !email.isEmpty,
            !email.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.isControl })
        else { return [] }
        let name = [user.name.first, user.name.last].filter { !$0.isEmpty }.joined(separator: " ")
        let place = [user.address.city, user.address.country].compactMap { $0 }.joined(separator: ", ")
        let fields = [email, name, place].map { destination.text(onOneLine($0)) }
        // A tab is a control character, too.
        return Array((fields.joined(separator: destination.isTerminal ? "  " : "\t") + "\n").utf8)
    }

    private static func onOneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isControl) else { return text }
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.isControl ? " " : scalar) }
        return String(line)
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, and the separators of lines and paragraphs.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
