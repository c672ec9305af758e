import Glibc
import Logging

/// Descriptors besides clients' connections: cache, upstreams, connections waiting to be accepted, and three
/// for NIO's event loop of each core.
private let ownDescriptors = 90 + 3 * sysconf(Int32(_SC_NPROCESSORS_ONLN))

/// Raises this process's limit of descriptors for that many connections. Returns how many fit.
func makeRoom(forConnections connections: Int, _ logger: Logger) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
    let needed = rlim_t(connections + ownDescriptors)
    if limit.rlim_cur < needed {
        limit.rlim_cur = min(needed, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    guard limit.rlim_cur < needed else { return connections }
    let room = max(1, Int(limit.rlim_cur) - ownDescriptors)
    logger.warning(
        "Fewer connections than limits.connections: the system allows this process too few descriptors (LimitNOFILE=)",
        metadata: ["descriptors": "\(limit.rlim_cur)", "connections": "\(room)"])
    return room
}
