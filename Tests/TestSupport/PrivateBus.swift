import Glibc

/// A D-Bus of the test's own.
package final class PrivateBus: Sendable {
    package let address: String
    private let folder: TemporaryDirectory
    private let daemon: ChildProcess

    package init() async throws {
        folder = try TemporaryDirectory()
        address = "unix:path=" + folder.file("bus")
        daemon = try ChildProcess(
            "/usr/bin/dbus-daemon",
            ["--session", "--nofork", "--nopidfile", "--address=" + address, "--print-address=1"],
            // No services of the machine.
            environment: ["XDG_DATA_DIRS": folder.path, "XDG_DATA_HOME": folder.path, "HOME": folder.path])
        try await daemon.line(containing: "unix:", in: .output)
    }

    deinit { end() }

    /// All connections end, and with them what serves on them.
    package func end() { daemon.send(SIGKILL) }
}
