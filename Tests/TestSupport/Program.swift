import Foundation

/// A program of this package.
package enum Program: String, Sendable {
    case userd, userctl
    case demoUpstream = "userd-demo-upstream"
    case wakeupsProbe = "wakeups-probe"
    case certification = "varlink-certification"

    /// Programs are in the same directory as the tests.
    package var path: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(rawValue).path
    }
}
