import Glibc
import Platform
import TerminalViews

extension Console.Output {
    /// A file descriptor of this process, with the abilities of its terminal, if it is one.
    static func descriptor(_ descriptor: Int32, _ environment: Environment) -> Self {
        let send = { @Sendable in try writeAll($0, to: descriptor) }
        guard isatty(descriptor) == 1 else {
            return Console.Output(
                endWithReader: { UserctlCommands.endWithReader(of: descriptor) }, send: send)
        }
        var pictures = pictureMethod(environment).map(PictureDrawing.init)
        if let cell = cellSize(descriptor) { pictures?.cell = cell }
        return Console.Output(
            width: terminalSize(descriptor, environment).columns, colour: allowsColour(environment),
            charset: Charset(environment: environment), pictures: pictures,
            size: { environment["TERM"] != "dumb" ? terminalSize(descriptor, environment) : nil },
            send: send)
    }
}

extension Charset {
    /// ASCII if the locale's charset is not UTF-8. Without a locale, it is UTF-8, the usual default.
    init(environment: Environment) {
        let locale =
            environment.value("LC_ALL") ?? environment.value("LC_CTYPE") ?? environment.value("LANG") ?? ""
        let charset = installed(locale) ?? named(locale)
        self = charset.lowercased().filter { $0 != "-" && $0 != "_" } == "utf8" ? .unicode : .ascii
    }
}

/// The charset of a locale, from the C library; nil if the locale is not installed.
private func installed(_ locale: String) -> String? {
    // An empty name would be this process's locale.
    guard !locale.isEmpty, let known = newlocale(LC_CTYPE_MASK, locale, nil) else { return nil }
    defer { freelocale(known) }
    return String(cString: nl_langinfo_l(nl_item(CODESET), known))
}

/// The charset in the locale's name. The locale may come from another machine, through ssh.
private func named(_ locale: String) -> String {
    let parts = locale.prefix { $0 != "@" }.split(separator: ".", maxSplits: 1)
    return parts.dropFirst().first.map(String.init) ?? "UTF-8"
}

/// True if `NO_COLOR` is unset or empty (https://no-color.org), and the terminal has colours.
func allowsColour(_ environment: Environment) -> Bool {
    environment.value("NO_COLOR") == nil && environment["TERM"] != "dumb"
}

/// The size in cells, from the terminal, else from `COLUMNS` and `LINES`, else 80 × 24.
func terminalSize(_ descriptor: Int32, _ environment: Environment) -> (columns: Int, rows: Int) {
    func environmentSays(_ name: String) -> Int? {
        // At most as large as a terminal can report.
        environment[name].flatMap(Int.init).flatMap { $0 > 0 ? min($0, Int(UInt16.max)) : nil }
    }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    return (
        isKnown && size.ws_col > 0 ? Int(size.ws_col) : environmentSays("COLUMNS") ?? 80,
        isKnown && size.ws_row > 0 ? Int(size.ws_row) : environmentSays("LINES") ?? 24
    )
}

/// The size of a cell in pixels; nil if the terminal does not report it.
private func cellSize(_ descriptor: Int32) -> (width: Int, height: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0,
        size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
    else { return nil }
    return (Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row))
}

/// Throws a `CommandError` if writing fails.
func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    do {
        try writeFully(bytes, to: descriptor)
    } catch {
        throw CommandError(
            "the output can't be written: \(error)", .output,
            advice: "make room there, or write it elsewhere")
    }
}

/// Ends the program with SIGPIPE as soon as the reader of a pipe or socket closes it, not only at the next write. A
/// closed terminal sends SIGHUP.
private func endWithReader(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
        return
    }
    _ = startThread("reader") {
        // POLLERR and POLLHUP are always reported.
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&watched, 1, -1) < 0, errno == EINTR {}
        guard watched.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
        kill(getpid(), SIGPIPE)
        // Reached if SIGPIPE is blocked.
        _exit(Outcome.output.rawValue)
    }
}

/// The method by which the environment's terminal draws pictures; nil if it can't.
///
/// NO_COLOR rules out coloured blocks, but not the graphics protocols.
func pictureMethod(_ environment: Environment) -> PictureDrawing.Method? {
    func says(_ name: String, _ values: String...) -> Bool { values.contains(environment[name] ?? "") }
    func has(_ name: String) -> Bool { environment.value(name) != nil }

    let terminal = environment["TERM"] ?? ""
    // Terminal multiplexers drop pictures, or draw them in the wrong place.
    if !isMultiplexed(environment) {
        if has("KITTY_WINDOW_ID") || ["xterm-kitty", "xterm-ghostty"].contains(terminal)
            || says("TERM_PROGRAM", "ghostty") || (Int(environment["KONSOLE_VERSION"] ?? "") ?? 0) >= 220_400
        {
            return .kitty
        }
        // ssh forwards LC_TERMINAL.
        if says("TERM_PROGRAM", "iTerm.app", "WezTerm", "mintty") || says("LC_TERMINAL", "iTerm2")
            || terminal == "wezterm"
        {
            return .iterm2
        }
    }
    return allowsColour(environment) ? .blocks(colourDepth(environment)) : nil
}

private func isMultiplexed(_ environment: Environment) -> Bool {
    let terminal = environment["TERM"] ?? ""
    return environment.value("TMUX") != nil || environment.value("STY") != nil
        || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux")
}

/// Whether the environment's terminal is known to have links (OSC 8), by https://github.com/Alhadis/OSC8-Adoption. VTE before
/// 0.50 crashed at them, so GCC asks for its version, too (auto_enable_urls in gcc/diagnostic-color.cc).
func hasHyperlinks(_ environment: Environment) -> Bool {
    func number(_ name: String) -> Int { Int(environment[name] ?? "") ?? 0 }
    func has(_ name: String) -> Bool { environment.value(name) != nil }

    let terminal = environment["TERM"] ?? ""
    // A multiplexer of an earlier version shows them as text; on the console there is no mouse.
    guard !["", "dumb", "linux"].contains(terminal), !isMultiplexed(environment) else { return false }
    let known = ["xterm-kitty", "xterm-ghostty", "foot", "foot-extra", "alacritty", "wezterm"]
    return known.contains(terminal) || has("KITTY_WINDOW_ID") || has("WT_SESSION")
        || ["ghostty", "iTerm.app", "WezTerm"].contains(environment["TERM_PROGRAM"] ?? "")
        || environment["LC_TERMINAL"] == "iTerm2"
        || number("VTE_VERSION") >= 5000 || number("KONSOLE_VERSION") >= 201_200
}

func colourDepth(_ environment: Environment) -> PictureDrawing.ColourDepth {
    ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "") ? .all : .palette
}
