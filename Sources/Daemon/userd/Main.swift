// userd: the program. It is one call, so that tests can import all the rest as the library Daemon.
//
// In: arguments, the environment, and what systemd passes on. Out: an exit code; the codes are in
// Userd.swift of Daemon.
//
// Start: Userd.swift of Daemon reads the options; Daemon.swift puts the parts together. The articles for
// people are in userd.docc; for the code, begin with Architecture.md.
//
// Threads: see Daemon.swift.

import Daemon

@main
enum Main {
    static func main() { runUserd() }
}
