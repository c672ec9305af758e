import Glibc

/// A network namespace with nothing but a loopback interface, which is down. See network_namespaces(7). The creator
/// ends it, as `inNetworkNamespace(_:)` does.
package final class NetworkNamespace: Sendable {
    /// Keeps the namespace alive.
    private let holder: ChildProcess

    fileprivate init() async throws {
        // Without root, becomes root in a new user namespace.
        let user = geteuid() == 0 ? [] : ["--map-root-user"]
        holder = try ChildProcess(
            "/usr/bin/unshare", user + ["--net", "/bin/sh", "-c", "echo in; exec sleep 600"],
            environment: tools)
        try await holder.line(containing: "in", in: .output)
    }

    /// The command to run a program in the namespace, with the same process id.
    package func command(_ executable: String, _ arguments: [String]) -> (
        executable: String, arguments: [String]
    ) {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return (
            "/usr/bin/nsenter",
            ["--target", "\(holder.id)"] + user + ["--net", "--", executable] + arguments
        )
    }

    /// Runs ip(8) in the namespace.
    package func ip(_ arguments: String...) async throws {
        let (executable, arguments) = command("ip", arguments)
        let result = try await run(executable, arguments, environment: tools)
        guard result.code == 0 else {
            throw WaitedInVain(description: "ip \(arguments.joined(separator: " ")): \(result.errors)")
        }
    }

    fileprivate func end() async throws {
        holder.send(SIGKILL)
        try await holder.ended()
    }
}

private let tools = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"]

/// Runs the body with a new network namespace.
package func inNetworkNamespace(_ body: (NetworkNamespace) async throws -> Void) async throws {
    let network = try await NetworkNamespace()
    do {
        try await body(network)
    } catch {
        try await network.end()
        throw error
    }
    try await network.end()
}
