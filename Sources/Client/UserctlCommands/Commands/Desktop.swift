import Glibc
import Model

/// The programs of this desktop. They stay when userctl ends: some for hours.
enum Desktop {
    /// Opens the address in the browser. If xdg-open is missing, nothing happens: the address is printed anyway.
    static func browse(_ address: String, _ environment: Environment) {
        // It is from the provider, and could be an option or a path.
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else { return }
        start(["xdg-open", address], environment)
    }

    static func open(_ address: ActionAddress, _ environment: Environment) throws(CommandError) {
        guard ProgramRun.find("xdg-open", in: environment.value("PATH") ?? "") != nil else {
            throw CommandError(
                "can't start xdg-open, which opens addresses", .failed,
                advice: "install xdg-utils, or print the address with `userctl open USER --print`")
        }
        start(["xdg-open", address.text], environment)
    }

    /// Terminals, with the words before a command and its arguments.
    private static let terminals: KeyValuePairs<String, [String]> = [
        "xdg-terminal-exec": [], "x-terminal-emulator": ["-e"], "gnome-terminal": ["--"], "kgx": ["--"],
        "ptyxis": ["--"], "konsole": ["-e"], "xfce4-terminal": ["-x"], "mate-terminal": ["-x"], "foot": [],
        "kitty": [], "alacritty": ["-e"], "ghostty": ["-e"], "wezterm": ["start", "--"], "xterm": ["-e"],
    ]

    /// The command line of userctl in the first terminal in PATH; nil if there is none.
    /// - Parameter userctl: the path of the program.
    static func inTerminal(
        _ userctl: String, _ arguments: [String], _ environment: Environment
    ) -> [String]? {
        terminals.lazy.compactMap { name, words in
            ProgramRun.find(name, in: environment.value("PATH") ?? "").map { [$0] + words }
        }.first.map { $0 + [userctl, "desktop", "window"] + arguments }
    }

    /// The command in a scope of its own, if the user's service manager runs: what the bus has started ends with all of its
    /// processes.
    static func inScope(_ command: [String], _ environment: Environment) -> [String] {
        guard let folder = environment.value("XDG_RUNTIME_DIR"),
            access(folder + "/systemd/private", F_OK) == 0,
            let run = ProgramRun.find("systemd-run", in: environment.value("PATH") ?? "")
        else { return command }
        // systemd logs the description, which is the whole command if none is given: whom somebody looks up and writes to.
        return [run, "--user", "--scope", "--collect", "--quiet", "--description=userctl", "--"] + command
    }

    /// The shell ends at once; the program may stay for hours. The address has no secret: whoever sees it in the list of
    /// processes can't use it.
    static func start(_ command: [String], _ environment: Environment) {
        _ = try? ProgramRun.of(
            "/bin/sh", ["-c", #""$@" </dev/null >/dev/null 2>&1 &"#, "sh"] + command,
            environment: environment, isApart: true, within: .seconds(5))
    }
}
