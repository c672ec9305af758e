import Glibc
import Model

extension Console {
    var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The line that a person types; nil at the end of the input.
    func answer(to question: String) -> String? {
        try? errors.write(question)
        return readLine()?.trimmingBlanks()
    }

    /// Goes on only if a person agrees to what was explained before, without a default. Throws if they don't, or if nobody
    /// can be asked.
    /// - Parameter command: agrees without a question.
    func requireAgreement(_ question: String, command: String) throws {
        let nothing = "nothing was changed"
        guard canAsk else {
            say(question)
            throw CommandError(nothing, .failed, advice: "`\(command)` agrees")
        }
        guard let answer = answer(to: question + " [y/N] ")?.lowercased(), ["y", "yes"].contains(answer)
        else {
            throw CommandError(nothing, .failed)
        }
    }
}

extension Console {
    /// The largest secret that userd reads.
    static let longestLine = 64 << 10

    /// A line that a person types or pastes, of up to 64 KiB and a byte: the terminal's own line buffer cuts one at 4,095 bytes.
    /// What follows it in a paste is dropped, so that it answers no other question. A signal that ends the program does so
    /// after the terminal is restored.
    ///
    /// - Returns: nil at the end of the input.
    func typedLine(_ question: String, isShown: Bool, terminal: Int32 = STDIN_FILENO) -> String? {
        func show(_ bytes: [UInt8]) { try? errors.write(bytes) }
        var found = termios()
        guard tcgetattr(terminal, &found) == 0 else {
            show(Array(question.utf8))
            return readLine()
        }
        return blockingSignals {
            var bytewise = found.bytewise
            tcsetattr(terminal, isShown ? TCSADRAIN : TCSAFLUSH, &bytewise)
            defer { tcsetattr(terminal, TCSAFLUSH, &found) }
            show(Array(question.utf8))
            var line: [UInt8] = []
            while !isEnding {
                guard isReadable(terminal, within: 100) else { continue }
                guard let bytes = readOnce(terminal) else { return nil }
                for byte in bytes {
                    switch byte {
                    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                        while isReadable(terminal, within: 50), readOnce(terminal) != nil {}
                        show([UInt8(ascii: "\n")])
                        return String(decoding: line, as: UTF8.self)
                    // Ctrl-D.
                    case 0x04 where line.isEmpty: return nil
                    case 0x08, 0x7F:
                        guard !line.isEmpty else { continue }
                        // All bytes of a character.
                        while let byte = line.popLast(), byte & 0xC0 == 0x80 {}
                        if isShown { show(Array("\u{8} \u{8}".utf8)) }
                    // Ctrl-U.
                    case 0x15: line = []
                    default:
                        if line.count <= Self.longestLine { line.append(byte) }
                        if isShown, byte >= 0x20 { show([byte]) }
                    }
                }
            }
            return nil
        }
    }
}

extension termios {
    /// Each byte is read at once, and not shown. Ctrl-C stays; Ctrl-Z and Ctrl-\ would leave the terminal in this mode.
    fileprivate var bytewise: termios {
        var modes = self
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        withUnsafeMutableBytes(of: &modes.c_cc) { keys in
            for key in [VSUSP, VQUIT, VTIME] { keys[Int(key)] = 0 }
            keys[Int(VMIN)] = 1
        }
        return modes
    }
}

/// Whether a signal that `blockingSignals` holds back waits to end the program.
private var isEnding: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return [SIGINT, SIGTERM, SIGHUP].contains { sigismember(&pending, $0) == 1 }
}

private func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
}

/// Nil at the end of the input.
private func readOnce(_ descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
}
