/// An entry of the setting `actions`: a name, and the address that it opens for a user.
package struct UserAction: Hashable, Sendable {
    package let name: String
    /// Nil for an entry that removes the action of this name.
    package let template: ActionTemplate?

    private static let longestName = 30

    private init(_ name: String, _ template: ActionTemplate?) {
        (self.name, self.template) = (name, template)
    }

    /// - Parameter text: the template; empty for none. Nil is refused: it may be one that is still to be written.
    package init(_ name: String, _ text: String?) throws(InvalidAction) {
        guard 1...Self.longestName ~= name.utf8.count,
            name.utf8.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) })
        else {
            throw InvalidAction(
                "is not the name of an action: letters, digits, - and _, at most \(Self.longestName)")
        }
        guard let text else { throw InvalidAction("has no address; \"\" removes the action") }
        self.init(name, text.isEmpty ? nil : try ActionTemplate(text))
    }

    /// Those that nobody has to set.
    package static let builtIn = [
        UserAction("mail", ActionTemplate.mail), UserAction("call", ActionTemplate.call),
    ]

    /// The actions of several files, from the most important: the first entry of a name counts. Those that are removed are
    /// left out, and those with the name of a built-in one come first.
    package static func merged(_ files: [[UserAction]]) -> [UserAction] {
        var names: Set<String> = []
        let actions = files.joined().filter { names.insert($0.name).inserted }.filter { $0.template != nil }
        let usual = builtIn.map(\.name)
        return usual.flatMap { name in actions.filter { $0.name == name } }
            + actions.filter { !usual.contains($0.name) }
    }
}
