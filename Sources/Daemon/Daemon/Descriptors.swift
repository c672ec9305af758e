import Glibc
import Logging

/// Three for the event loop of each core.
private let loopDescriptors = 3 * sysconf(Int32(_SC_NPROCESSORS_ONLN))
/// Descriptors besides clients' connections: cache, upstreams, connections waiting to be accepted.
private let ownDescriptors = 90 + loopDescriptors
/// With fewer, NIO ends the process when it makes its event loops.
private let leastDescriptors = 24 + loopDescriptors

/// Throws if the system allows this process too few descriptors to start.
func requireDescriptors() throws {
    let allowed = descriptorLimit(raisedTo: leastDescriptors)
    guard allowed < leastDescriptors else { return }
    throw ExitError(
        description:
            "the system allows this process \(allowed) open files, but userd needs \(leastDescriptors): "
            + "raise LimitNOFILE= of the service, or `ulimit -n`")
}

/// Raises this process's limit of descriptors for that many connections. Returns how many fit.
func makeRoom(forConnections connections: Int, _ logger: Logger) -> Int {
    let needed = connections + ownDescriptors
    let limit = descriptorLimit(raisedTo: needed)
    guard limit < needed else { return connections }
    let room = max(1, limit - ownDescriptors)
    logger.warning(
        "Fewer connections than limits.connections: the system allows this process too few descriptors (LimitNOFILE=)",
        metadata: ["descriptors": "\(limit)", "connections": "\(room)"])
    return room
}

/// Returns this process's limit of descriptors, or `needed` if it is not lower.
private func descriptorLimit(raisedTo needed: Int) -> Int {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(kind, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return needed }
    limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
    setrlimit(kind, &limit)
    return Int(limit.rlim_cur)
}
