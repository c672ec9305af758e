import Cache
import UserdAPI

@testable import UserctlCommands

/// The facts that doctor finds at a socket.
struct SocketFacts {
    var path: String?
    var directory = FileFact.absent
    var file = FileFact.absent
    var answer: Result<DaemonState, any Error>?
    var user: UInt32
}

func socketChecks(_ facts: SocketFacts) -> [Check] {
    var probes = DoctorProbes.live([:])
    probes.user = { (facts.user, "me") }
    probes.file = { path, _ in path == facts.path ? facts.file : facts.directory }
    return socketChecks(facts.path, answer: facts.answer, probes)
}

/// The facts that doctor finds at a cache.
struct CacheFacts {
    var path: String?
    var directory = FileFact.absent
    var file = FileFact.absent
    var examination: CacheExamination?
    var setAside: [SetAside] = []
    var freeBytes: Int?
    var isReadOnly = false
    var user: UInt32
}

func cacheChecks(_ facts: CacheFacts) async -> [Check] {
    var probes = DoctorProbes.live([:])
    probes.user = { (facts.user, "me") }
    let noFile = facts.examination == nil ? FileFact.absent : facts.file
    probes.file = { path, _ in path == facts.path ? noFile : facts.directory }
    probes.cache = { _ in facts.examination ?? .blank }
    probes.setAside = { _ in facts.setAside }
    probes.fileSystem = { _ in facts.freeBytes.map { ($0, facts.isReadOnly) } }
    return await cacheChecks(facts.path, probes)
}
