import Foundation
import Glibc
import TestSupport

/// The most that a process has used at any look.
struct Strain: CustomStringConvertible {
    /// Resident memory in kilobytes.
    var memory = 0
    var openFiles = 0
    var threads = 0
    /// The number of files in its folder, and their bytes.
    var files = 0
    var bytes = 0

    mutating func look(at process: pid_t, folder: String) throws {
        memory = max(memory, try residentMemory(of: process))
        openFiles = max(openFiles, try descriptors(of: process))
        threads = max(
            threads, try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        files = max(files, names.count)
        // The file may be gone.
        let sizes = names.map { name in
            var status = stat()
            return stat(folder + "/" + name, &status) == 0 ? Int(status.st_size) : 0
        }
        bytes = max(bytes, sizes.reduce(0, +))
    }

    var description: String {
        "\(memory >> 10) MiB, \(openFiles) descriptors, \(threads) threads, \(files) files, \(bytes >> 10) KiB"
    }
}
