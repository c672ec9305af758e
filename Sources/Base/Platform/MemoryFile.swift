import CLinux
import Glibc

/// A file in memory, which this process reads at `/proc/self/fd/` (memfd_create(2)). It stays open.
/// - Returns: the descriptor; nil if it can't be made.
package func memoryFile(_ name: String, _ bytes: [UInt8]) -> CInt? {
    // MFD_CLOEXEC
    let descriptor = memfd_create(name, 1)
    guard descriptor >= 0 else { return nil }
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
        close(descriptor)
        return nil
    }
    return descriptor
}
