import Glibc

/// A network of its own, in which there is a loopback interface that is down, and nothing else. See
/// network_namespaces(7). Whoever makes one ends it, as `inNetworkNamespace(_:)` does.
package final class NetworkNamespace: Sendable {
    /// Keeps the namespace for as long as it runs.
    private let holder: ChildProcess

    fileprivate init() async throws {
        // Who is not root becomes root in a user namespace of its own.
        let user = geteuid() == 0 ? [] : ["--map-root-user"]
        holder = try ChildProcess(
            "/usr/bin/unshare", user + ["--net", "/bin/sh", "-c", "echo in; exec sleep 600"],
            environment: tools)
        try await holder.line(containing: "in", in: .output)
    }

    /// What to run for a program to run in it, with the same process id.
    package func command(_ executable: String, _ arguments: [String]) -> (
        executable: String, arguments: [String]
    ) {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return (
            "/usr/bin/nsenter",
            ["--target", "\(holder.id)"] + user + ["--net", "--", executable] + arguments
        )
    }

    /// Runs ip(8) in it.
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

/// Makes a network of its own for as long as the body runs.
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
