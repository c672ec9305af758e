import Model
import TerminalViews
import UserdAPI

/// The output of mutt's `query_command`: a line for people, then a line for each address: address, name, and title with
/// department, separated by tabs. http://www.mutt.org/doc/manual/#query
enum Mutt {
    static func head(_ lines: Int) -> [UInt8] {
        Array("\(grouped(lines)) address\(lines == 1 ? "" : "es") found\n".utf8)
    }

    /// A line for each address. What mutt would take for several, or for none, has no line.
    static func lines(_ user: User, _ destination: Destination) -> [[UInt8]] {
        let addresses = user.allEmails.map(\.value).filter(\.isEmailAddress)
        let name = [user.displayName ?? "", user.name.untitled].first { !$0.isEmpty } ?? ""
        func joined(_ texts: String?...) -> String {
            texts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
        }
        let work = joined(user.jobTitle, user.department)
        let about = work.isEmpty ? joined(user.address.city, user.address.country) : work
        return addresses.map { address in
            let fields = [address, name, about].map { destination.text(onOneLine($0)) }
            // Tabs are control characters, so a terminal gets none.
            return Array((fields.joined(separator: destination.isTerminal ? "  " : "\t") + "\n").utf8)
        }
    }

    private static func onOneLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isControl ? " " : $0 }))
    }
}

extension Unicode.Scalar {
    /// C0, DEL, C1, and line and paragraph separators.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
