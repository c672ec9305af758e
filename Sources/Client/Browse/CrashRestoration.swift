import Glibc

/// Restores the terminal in a handler of fatal signals, before the program ends.
enum CrashRestoration {
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSYS]

    /// - Parameter guardian: the guardian's pipe; it is told that the terminal has been restored.
    static func arm(input: Int32, output: Int32, found: termios, guardian: Int32?) {
        let leave = TerminalModes.leave
        let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: leave.utf8.count)
        for (index, byte) in leave.utf8.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        let kept = UnsafeMutablePointer<Restoration>.allocate(capacity: 1)
        kept.initialize(
            to: Restoration(
                input: input, output: output, guardian: guardian ?? -1, found: found, leave: bytes,
                length: leave.utf8.count))
        restoration = kept
        for number in signals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                restoreTerminal()
                // SA_RESETHAND has removed the handler, so this ends the program.
                raise(number)
            }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
            sigaction(number, &action, nil)
        }
    }

    static var isInUse: Bool {
        get { restoration?.pointee.isInUse ?? false }
        set { restoration?.pointee.isInUse = newValue }
    }
}

private struct Restoration {
    let input: Int32
    let output: Int32
    let guardian: Int32
    var found: termios
    let leave: UnsafeMutablePointer<CChar>
    let length: Int
    var isInUse = false
}

// Never freed, so that the signal handlers can read it at any time. Written once, before they are installed.
nonisolated(unsafe) private var restoration: UnsafeMutablePointer<Restoration>?

/// Calls only functions of signal-safety(7).
private func restoreTerminal() {
    guard let restoration, restoration.pointee.isInUse else { return }
    write(restoration.pointee.output, restoration.pointee.leave, restoration.pointee.length)
    tcsetattr(restoration.pointee.input, TCSANOW, &restoration.pointee.found)
    write(restoration.pointee.guardian, "out\n", 4)
}
