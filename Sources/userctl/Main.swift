import Glibc
import UserctlKit

@main
enum Main {
    static func main() async {
        // Whoever reads the output may leave early, and Ctrl-C has an exit code of its own.
        signal(SIGPIPE, SIG_DFL)
        signal(SIGINT) { _ in _exit(130) }
        exit(await Userctl.execute(Array(CommandLine.arguments.dropFirst())))
    }
}
