import Foundation
import Glibc
import TestSupport

/// The number of a process's open files, except for the cache's: userd opens one more reader of it for
/// simultaneous reads, and keeps it.
func descriptors(of process: pid_t) throws -> Int {
    let folder = "/proc/\(process)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).filter { number in
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
        return file?.contains("/userd.db") != true
    }.count
}

/// The resident memory of a process in kilobytes.
func residentMemory(of process: pid_t) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    guard let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
        throw WaitedInVain(description: "no memory size for process \(process)")
    }
    return number
}

/// Lets the tests' process open this many files.
func raiseDescriptorLimit(to count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = max(limit.rlim_cur, min(rlim_t(count), limit.rlim_max))
    guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur >= rlim_t(count)
    else { throw WaitedInVain(description: "this machine allows \(limit.rlim_max) open files a process") }
}
