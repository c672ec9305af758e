import Model

/// The programs of this desktop, started by xdg-open(1).
enum Desktop {
    /// Opens the address in the browser. If xdg-open is missing, nothing happens: the address is printed anyway.
    static func browse(_ address: String, _ environment: Environment) {
        // It is from the provider, and could be an option or a path.
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { return }
        start(address, environment)
    }

    static func open(_ address: ActionAddress, _ environment: Environment) throws(CommandError) {
        guard ProgramRun.find("xdg-open", in: environment.value("PATH") ?? "") != nil else {
            throw CommandError(
                "can't start xdg-open, which opens addresses", .failed,
                advice: "install xdg-utils, or print the address with `userctl open USER --print`")
        }
        start(address.text, environment)
    }

    /// The shell ends at once; the program may stay for hours. The address has no secret: whoever sees it in the list of
    /// processes can't use it.
    private static func start(_ address: String, _ environment: Environment) {
        let script = #"xdg-open "$0" </dev/null >/dev/null 2>&1 &"#
        _ = try? ProgramRun.of(
            "/bin/sh", ["-c", script, address], environment: environment, isApart: true, within: .seconds(5))
    }
}
