/// A configuration file that changes nothing: every setting with what it does, what may be written, and its default,
/// commented out. Sections are not, so that taking out one `#` sets one setting.
package func defaultConfiguration() -> String {
    let defaults = Settings()
    var text = """
        # The settings of userd, each with its default: take out the # before a setting, and nothing else, to change it.
        #
        # userd reads $XDG_CONFIG_HOME/userd/config.yaml, else ~/.config/userd/config.yaml, when it starts and on SIGHUP.
        # The environment and the command line go before the file. `userd --print-config` shows what is in force.

        """
    var section: Substring?
    for setting in Setting.all {
        text += "\n"
        if setting.section != section {
            section = setting.section
            text += "\(section ?? ""):\n"
        }
        let value = setting.write(defaults) ?? ""
        var comments = [setting.help, setting.expected.capitalized]
        // A default that depends on the environment can't be written down as a value.
        if value != setting.defaultText { comments.append("By default \(setting.defaultText)") }
        let indentation = section == nil ? "" : "  "
        for comment in comments { text += "\(indentation)# \(comment).\n" }
        text += "\(indentation)#\(setting.key): \(setting.isQuoted ? value.quoted : value)\n"
    }
    return text
}

extension String {
    fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
