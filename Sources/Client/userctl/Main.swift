import Commands
import Glibc
import ProgramSupport

@main
enum Main {
    static func main() {
        reserveStandardDescriptors()
        // A reader such as head may close the pipe early, which ends userctl silently.
        signal(SIGPIPE, SIG_DFL)
        ThreadExecutor.runHere {
            let code = await Userctl.execute(Array(CommandLine.arguments.dropFirst()))
            if code == Userctl.interruptedCode {
                // A shell goes on with its loop unless it sees the signal.
                signal(SIGINT, SIG_DFL)
                raise(SIGINT)
            }
            exit(code)
        }
    }
}
