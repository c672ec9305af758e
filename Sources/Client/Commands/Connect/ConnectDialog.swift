import Model

/// Asks a person what only they know.
package struct ConnectDialog {
    /// Shows a question, and returns the line that is typed; nil at the end of the input.
    let ask: (String) -> String?
    /// The folder of config.yaml.
    let folder: String

    /// - Returns: nil if the person chooses none.
    package func choice(among directories: [DiscoveredDirectory]) -> DiscoveredDirectory? {
        guard directories.count > 1 else { return directories.first }
        while let answer = ask("which one? 1 to \(directories.count), or Enter for 1: ") {
            if answer.isEmpty { return directories.first }
            if let number = Int(answer), directories.indices.contains(number - 1) {
                return directories[number - 1]
            }
        }
        return nil
    }

    /// The settings with the answers to what is needed; nil if something is missing.
    package func complete(_ directory: DiscoveredDirectory) -> [DiscoveredSetting]? {
        var settings = directory.settings
        var needed = directory.needed
        var isAnonymous = false
        while !needed.isEmpty {
            let name = needed.removeFirst()
            if name == "users.password_file", isAnonymous { continue }
            let question = Needed(name, in: folder)
            let hint = question.usual.map { " [\($0)]" } ?? ""
            guard let typed = ask("\(question.question)\(hint): ") else { return nil }
            guard let answer = typed.isEmpty ? question.usual : typed else {
                if question.isRequired { return nil }
                isAnonymous = true
                continue
            }
            if name == "users.token_file", answer.contains("://") {
                settings.append(DiscoveredSetting("users.oauth.issuer", answer))
                needed += ["users.oauth.client_id", "users.oauth.scope"]
            } else {
                settings.append(DiscoveredSetting(name, answer))
            }
        }
        return settings
    }

    func agrees(_ question: String) -> Bool {
        guard let answer = ask("\(question) [Y/n] ")?.lowercased() else { return false }
        return ["", "y", "yes"].contains(answer)
    }
}
