import Glibc

/// A path that a Unix socket can have (unix(7)).
package struct UnixSocketPath: Hashable, Sendable {
    /// In bytes: what `sun_path` holds with the NUL that ends it.
    package static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    package let path: String

    /// nil where the path is empty, longer than `maximumLength` or has a NUL in it.
    package init?(_ path: String) {
        guard (1...Self.maximumLength).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
        self.path = path
    }

    /// For `connect` and `bind`.
    package func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(bytes.count)) }
        }
    }
}
