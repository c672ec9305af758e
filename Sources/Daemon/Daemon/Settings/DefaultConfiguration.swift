/// A configuration file with every setting commented out, with its help, expected values and default.
/// Sections are not commented out, so that removing one `#` sets one setting.
func defaultConfiguration() -> String {
    let defaults = Settings()
    let beginning = """
        # All settings of userd with their defaults. To change a setting, remove only the # before it.
        #
        # userd reads $XDG_CONFIG_HOME/userd/config.yaml, else ~/.config/userd/config.yaml, when it starts and on SIGHUP.
        # The environment and the command line override the file. `userd --print-config` shows what is in force.

        """
    return beginning
        + Setting.configuration(separator: "\n") { setting in
            let value = setting.write(defaults) ?? ""
            var comments = [setting.help, setting.expected.capitalized]
            // A default that depends on the environment can't be written down as a value.
            if value != setting.defaultText { comments.append("By default \(setting.defaultText)") }
            return comments.map { "# \($0)." } + ["#" + setting.line(value)]
        }
}

extension Setting {
    /// A configuration file with these lines for each setting, below the names of the sections.
    static func configuration(separator: String = "", _ lines: (Setting) -> [String]) -> String {
        var text = ""
        var open: [Substring] = []
        for setting in all {
            text += separator
            for (depth, section) in setting.sections.enumerated() where !open.contains(section) {
                text += indent(depth) + (section.split(separator: ".").last ?? "") + ":\n"
            }
            open = setting.sections
            for line in lines(setting) { text += indent(open.count) + line + "\n" }
        }
        return text
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    func line(_ value: String) -> String {
        if isStructured { return value.isEmpty ? "\(key):" : "\(key): \(value)" }
        return "\(key): \(isQuoted || value.isEmpty ? value.quoted : value)"
    }
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
