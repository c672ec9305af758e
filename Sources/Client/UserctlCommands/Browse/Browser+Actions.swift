import Model
import TerminalViews
import UserdAPI

extension Browser {
    /// The effects of a letter on a card; nil if the letter belongs to the search.
    mutating func act(_ letter: String) -> [Effect]? {
        if letter == "y", !marks.isEmpty { return copyAddresses(of: marks.users) }
        guard ["y", "t", "m", "c", "o", "v"].contains(letter), let user = selected else { return nil }
        switch letter {
        case "y": return copyAddresses(of: [user])
        case "t":
            guard let number = user.firstNumber else { return refuse("this user has no telephone number") }
            return copy(number, named: number)
        case "m": return open("mail", user)
        case "c": return open("call", user)
        case "o":
            let choices = actions.compactMap { action in
                (try? user.addressToOpen(for: action)).map { Question.Choice(name: action.name, address: $0) }
            }
            guard !choices.isEmpty else { return refuse("this user lacks what the actions need") }
            question = .which(choices[...], of: user.shownName)
            return []
        default: return [.act(.save(user))]
        }
    }

    private mutating func open(_ name: String, _ user: User) -> [Effect] {
        guard let action = actions.first(where: { $0.name == name }) else {
            return refuse("the action \(name) is turned off in config.yaml, or wrong there")
        }
        do throws(CommandError) {
            return open(try user.addressToOpen(for: action), of: user.shownName)
        } catch {
            return refuse(error.message)
        }
    }

    /// A call costs money, and disturbs: its number is shown first.
    private mutating func open(_ address: ActionAddress, of name: String) -> [Effect] {
        guard address.scheme == .tel else { return [.act(.open(address))] }
        question = .call(address, of: name)
        return []
    }

    /// The effects of a key that answers the question; nil if it means something else. The question is gone in any case.
    mutating func answer(_ key: Key) -> [Effect]? {
        guard let question else { return nil }
        self.question = nil
        switch (question, key) {
        case (_, .escape): return []
        case (.call(let address, _), .enter): return [.act(.open(address))]
        case (.which(let choices, let name), .text(let text)):
            let shown = Question.shown(choices, width: size.columns)
            if text == "o", shown.endIndex < choices.endIndex {
                self.question = .which(choices[shown.endIndex...], of: name)
                return []
            }
            guard let number = Int(text) else { return nil }
            return 1...shown.count ~= number
                ? open(shown[shown.startIndex + number - 1].address, of: name) : []
        default: return nil
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

extension Browser {
    /// A question about the user on the card, which the bottom line shows.
    enum Question: Hashable, Sendable {
        struct Choice: Hashable, Sendable {
            let name: String
            let address: ActionAddress
        }

        case call(ActionAddress, of: String)
        case which(ArraySlice<Choice>, of: String)

        private static let more = "o more"

        /// The first choices, as many as a line has room for: at least one, and at most as many as there are digits.
        static func shown(_ choices: ArraySlice<Choice>, width: Int) -> ArraySlice<Choice> {
            var room = width - more.count
            let fitting = choices.prefix(9).prefix { choice in
                room -= "1 \(choice.name)  ".count
                return room >= 0
            }
            return fitting.isEmpty ? choices.prefix(1) : fitting
        }

        /// - Parameter width: the columns of the line.
        func words(_ width: Int) -> String {
            switch self {
            case .call(let address, let name):
                return "Enter calls \(address.text.dropFirst("tel:".count)), \(name)"
            case .which(let choices, _):
                let shown = Self.shown(choices, width: width)
                let numbered = shown.enumerated().map { "\($0 + 1) \($1.name)" }
                return (numbered + (shown.count < choices.count ? [Self.more] : [])).joined(separator: "  ")
            }
        }
    }
}

extension User {
    fileprivate var firstAddress: String? { allEmails.map(\.value).first { !$0.isEmpty } }
    fileprivate var firstNumber: String? { allPhones.map(\.value).first { !$0.isEmpty } }
}
