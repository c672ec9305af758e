// userctl: the program. All of its commands are in UserctlCommands.
//
// In: arguments and the environment.
// Out: text on standard output, and an exit code (Outcome.swift). Ctrl-C ends it by its signal, so that a shell ends
// its loop, too.
//
// Start: Userctl.swift lists the commands.
//
// Threads: the command's tasks run on the main thread (ThreadExecutor.swift), where they may block.

import Glibc
import Platform
import UserctlCommands

@main
enum Main {
    static func main() {
        reserveStandardDescriptors()
        // Ends userctl silently if a reader such as head closes the pipe early.
        signal(SIGPIPE, SIG_DFL)
        ThreadExecutor.runHere {
            let code = await Userctl.execute(Array(CommandLine.arguments.dropFirst()))
            if code == Userctl.interruptedCode {
                // A shell continues its loop unless it sees the signal.
                signal(SIGINT, SIG_DFL)
                raise(SIGINT)
            }
            exit(code)
        }
    }
}
