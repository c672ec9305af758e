import ArgumentParser
import Dispatch
import Glibc

/// Opens /dev/null for a closed stdin, stdout or stderr, so that no other file gets its number. It is opened in the
/// wrong direction, so that reading or writing still fails.
package func reserveStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
        // open(2) returns the lowest free number, which is this one.
        _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
}

extension ParsableCommand {
    /// Like the argument parser's `main`, but reserves the standard descriptors, and exits with 74 if the help or the
    /// version can't be written.
    ///
    /// An asynchronous `main` would be too late: its queue opens descriptors before it begins.
    ///
    /// - Parameter failing: called with the exit code before an exit with an error.
    package static func start(failing: @escaping @Sendable (_ code: Int32) -> Void = { _ in }) -> Never {
        reserveStandardDescriptors()
        Task {
            await parseAndRun(failing)
            Glibc.exit(0)
        }
        dispatchMain()
    }

    private static func parseAndRun(_ failing: @Sendable (_ code: Int32) -> Void) async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            let text = fullMessage(for: error)
            let code = exitCode(for: error)
            guard code == .success, !text.isEmpty else {
                if code != .success { failing(code.rawValue) }
                exit(withError: error)
            }
            output(text + "\n")
        }
    }

    /// Writes to stdout; exits with 74 if that fails.
    package static func output(_ text: String) {
        do {
            try writeFully(Array(text.utf8), to: STDOUT_FILENO)
        } catch {
            let name = configuration.commandName ?? ""
            try? writeFully(
                Array("\(name): the output can't be written: \(error)\n".utf8), to: STDERR_FILENO)
            Glibc.exit(74)
        }
    }
}
