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
