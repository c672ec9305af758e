import Glibc

package struct UnixSocketPath: Hashable, Sendable {
    /// In bytes: the size of `sun_path` minus the final NUL.
    package static let maximumLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// An abstract name begins with a NUL.
    package let path: String

    /// Nil if the path is empty, too long or contains a NUL.
    package init?(_ path: String) {
        guard (1...Self.maximumLength).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
        self.path = path
    }

    /// A name that is in no folder (unix(7)).
    package init?(abstract name: String) {
        guard Self(name) != nil, name.utf8.count < Self.maximumLength else { return nil }
        path = "\0" + name
    }

    /// Passes the address to `connect`, `bind` or `sendto`.
    package func withAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        // An abstract name has no NUL at its end: the length ends it.
        let end = path.utf8.first == 0 ? 0 : 1
        let length = MemoryLayout<sa_family_t>.size + path.utf8.count + end
        return withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { body($0.baseAddress!, socklen_t(length)) }
        }
    }
}
