import Commands
import Glibc
import ProgramSupport

@main
enum Main {
    static func main() {
        reserveStandardDescriptors()
        // A reader such as head may close the pipe early, which ends userctl silently. Ctrl-C exits with 130.
        signal(SIGPIPE, SIG_DFL)
        signal(SIGINT) { _ in _exit(130) }
        ThreadExecutor.runHere { exit(await Userctl.execute(Array(CommandLine.arguments.dropFirst()))) }
    }
}
