import Foundation

/// A program of this package.
package enum Program: String, Sendable {
    case userd, userctl
    case demoUpstream = "userd-demo-upstream"
    case wakeupsProbe = "wakeups-probe"
    case certification = "varlink-certification"

    /// Programs are built into the directory of the tests.
    package var path: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(rawValue).path
    }
}
