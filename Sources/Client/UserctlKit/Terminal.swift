import Glibc
import ProgramSupport
import TerminalViews

extension Console.Output {
    /// A file descriptor of this process, fitted to the terminal that it may be.
    package static func descriptor(_ descriptor: Int32, _ environment: Environment) -> Self {
        let write = { @Sendable in try writeAll($0, to: descriptor) }
        guard isatty(descriptor) == 1 else {
            return Console.Output(endWithReader: { UserctlKit.endWithReader(of: descriptor) }, write: write)
        }
        var pictures = pictureMethod(environment).map(PictureDrawing.init)
        if let cell = cellSize(descriptor) { pictures?.cell = cell }
        return Console.Output(
            width: terminalWidth(descriptor, environment), colour: allowsColour(environment),
            charset: Charset(environment: environment), pictures: pictures,
            size: { environment["TERM"] != "dumb" ? terminalSize(descriptor, environment) : nil },
            write: write)
    }
}

extension Charset {
    /// ASCII where the locale's charset is another than UTF-8. Where the locale names none or is not set nothing is known,
    /// and UTF-8 is what terminals have.
    package init(environment: Environment) {
        let locale =
            environment.value("LC_ALL") ?? environment.value("LC_CTYPE") ?? environment.value("LANG") ?? ""
        let parts = locale.prefix { $0 != "@" }.split(separator: ".", maxSplits: 1)
        let name = parts.dropFirst().first?.lowercased().filter { $0 != "-" && $0 != "_" }
        self =
            if let name { name == "utf8" ? .unicode : .ascii } else {
                parts.first == "C" || parts.first == "POSIX" ? .ascii : .unicode
            }
    }
}

/// Colour, unless `NO_COLOR` is set and not empty (https://no-color.org) or the terminal has none.
package func allowsColour(_ environment: Environment) -> Bool {
    environment.value("NO_COLOR") == nil && environment["TERM"] != "dumb"
}

/// In cells: what the terminal says, else what `COLUMNS` says, else 80.
package func terminalWidth(_ descriptor: Int32, _ environment: Environment) -> Int {
    terminalSize(descriptor, environment).columns
}

/// In cells: what the terminal says, else what `COLUMNS` and `LINES` say, else 80 and 24.
private func terminalSize(_ descriptor: Int32, _ environment: Environment) -> (columns: Int, rows: Int) {
    func environmentSays(_ name: String) -> Int? {
        // No more than a terminal itself can say.
        environment[name].flatMap(Int.init).flatMap { $0 > 0 ? min($0, Int(UInt16.max)) : nil }
    }
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    return (
        isKnown && size.ws_col > 0 ? Int(size.ws_col) : environmentSays("COLUMNS") ?? 80,
        isKnown && size.ws_row > 0 ? Int(size.ws_row) : environmentSays("LINES") ?? 24
    )
}

/// In pixels; nil where the terminal does not say.
private func cellSize(_ descriptor: Int32) -> (width: Int, height: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0,
        size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row
    else { return nil }
    return (Int(size.ws_xpixel / size.ws_col), Int(size.ws_ypixel / size.ws_row))
}

/// Throws a `CommandError` where they can't all be written.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws {
    do {
        try writeFully(bytes, to: descriptor)
    } catch {
        throw CommandError(
            "the output can't be written: \(error)", .output,
            advice: "make room where it goes to, or send it somewhere else")
    }
}

/// Ends the program once nobody reads what it writes to a pipe or a socket, as its next write would, be that in hours. The
/// end of a terminal is told by a signal.
private func endWithReader(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
        return
    }
    detachThread {
        // Without any events to wait for: these are told all the same.
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        while poll(&watched, 1, -1) < 0, errno == EINTR {}
        guard watched.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
        raise(SIGPIPE)
        // Whoever started it has blocked that signal.
        _exit(Outcome.output.rawValue)
    }
}
