import Model

/// An action that a person chose in the desktop.
enum DesktopDeed: Hashable, Sendable {
    case card(id: String)
    case search(words: [String])
    case open(ActionAddress)
    case copy(String)
    case signIn
}

extension DesktopDeed {
    func carryOut(_ environment: Environment) {
        switch self {
        case .card(let id): open(["browse", "--by-id", "--card=" + id], environment)
        case .search(let words): open(["browse", "--"] + words, environment)
        case .signIn: open(["sign-in"], environment)
        case .open(let address):
            Desktop.start(Desktop.inScope(["xdg-open", address.text], environment), environment)
        case .copy(let text):
            let live = Clipboard.live(environment)
            let apart = Clipboard(environment: environment) { path, arguments, input throws(CommandError) in
                let command = Desktop.inScope([path] + arguments, environment)
                try live.run(command[0], Array(command.dropFirst()), input)
            }
            _ = apart.copy(text, named: "the address")
        }
    }

    private func open(_ arguments: [String], _ environment: Environment) {
        let own = processLink("/proc/self/exe") ?? "userctl"
        guard let command = Desktop.inTerminal(own, arguments, environment) else { return }
        Desktop.start(Desktop.inScope(command, environment), environment)
    }
}
