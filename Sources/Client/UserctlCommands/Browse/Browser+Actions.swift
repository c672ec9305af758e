import Model
import TerminalViews
import UserdAPI

extension Browser {
    /// The effects of a letter on a card; nil if the letter belongs to the search.
    mutating func act(_ letter: String) -> [Effect]? {
        if letter == "y", !marks.isEmpty { return copyAddresses(of: marks.users) }
        guard ["y", "t", "m", "v"].contains(letter), let user = selected else { return nil }
        switch letter {
        case "y": return copyAddresses(of: [user])
        case "t":
            guard let number = user.firstNumber else { return refuse("this user has no telephone number") }
            return copy(number, named: number)
        case "m":
            guard let address = user.firstAddress else { return refuse("this user has no address") }
            return [.act(.mail(to: address))]
        default: return [.act(.save(user))]
        }
    }

    private mutating func copyAddresses(of users: [User]) -> [Effect] {
        let addresses = users.compactMap(\.firstAddress)
        guard let first = addresses.first else {
            return refuse(
                marks.isEmpty ? "this user has no address" : "none of the marked users has an address")
        }
        var name = addresses.count == 1 ? first : "\(grouped(addresses.count)) addresses"
        let without = users.count - addresses.count
        if without > 0 { name += " (\(counted(without, "marked user")) without one)" }
        return copy(addresses.joined(separator: ", "), named: name)
    }

    /// A control character could do harm where the text is pasted: a line end runs it as a command in a shell.
    private func copy(_ text: String, named name: String) -> [Effect] {
        [.act(.copy(text.sanitised, named: name))]
    }

    private mutating func refuse(_ reason: String) -> [Effect] {
        notice = reason
        return []
    }
}

extension User {
    fileprivate var firstAddress: String? { allEmails.map(\.value).first { !$0.isEmpty } }
    fileprivate var firstNumber: String? { allPhones.map(\.value).first { !$0.isEmpty } }
}
