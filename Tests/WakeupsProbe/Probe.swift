import Glibc
import Sync

/// Prints the kernel's events until it is killed.
///
/// `descriptors N` starts with at most N descriptors. `restarts N` starts and ends N times, and prints how
/// many descriptors are open after the first time and after the last.
@main
enum Probe {
    static func main() async {
        let arguments = CommandLine.arguments
        let number = rlim_t(arguments.last ?? "")
        switch (arguments.dropFirst().first, number) {
        case ("restarts", let times?):
            await restart()
            let first = openDescriptors()
            for _ in 1..<times { await restart() }
            say("\(first) \(openDescriptors())")
        case ("descriptors", let limit?):
            // Dispatch opens its own descriptors at the first event and the first timer.
            await restart()
            var usual = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
            var few = usual
            few.rlim_cur = limit
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &few)
            let events = begin()
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
            await tell(of: events)
        default:
            await tell(of: begin())
        }
    }

    private static func begin() -> AsyncStream<Wakeup> { WakeupSource.events { say("\($0)") } }

    private static func tell(of events: AsyncStream<Wakeup>) async {
        say("watching")
        for await wakeup in events { say("\(wakeup)") }
        say("over")
    }

    private static func restart() async {
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        let events = WakeupSource.events { if $0 == .ended { end.finish() } }
        let consumer = Task { for await _ in events {} }
        consumer.cancel()
        for await _ in ended {}
    }

    private static func openDescriptors() -> Int {
        (0..<1024).filter { fcntl($0, F_GETFD) >= 0 }.count
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
