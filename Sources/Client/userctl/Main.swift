import Glibc
import ProgramSupport
import UserctlKit

@main
enum Main {
    static func main() {
        reserveStandardDescriptors()
        // Whoever reads the output may leave early, and Ctrl-C has an exit code of its own.
        signal(SIGPIPE, SIG_DFL)
        signal(SIGINT) { _ in _exit(130) }
        ThreadExecutor.runHere { exit(await Userctl.execute(Array(CommandLine.arguments.dropFirst()))) }
    }
}
