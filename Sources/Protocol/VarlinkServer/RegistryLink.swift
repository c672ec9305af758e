import Glibc
import Varlink

/// The link by which `varlinkctl --user list-registry` finds who serves an interface: named like the interface, in
/// `varlink/registry` below the runtime directory, and leading to the socket.
package struct RegistryLink: Sendable {
    /// Why there is no link.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: String

        package var description: String { "\(path) \(reason)" }
    }

    package let path: String
    private let target: String

    /// Makes the link, and the directory where it is missing. A link that leads to a socket that somebody serves is left
    /// alone, and so is what is no link. Throws `Failure`.
    ///
    /// - Parameters:
    ///   - directory: the registry, an absolute path.
    ///   - socket: its path, which clients can connect to by now.
    package init(in directory: String, interface: String, to socket: String) throws {
        path = directory + "/" + interface
        target = socket.hasPrefix("/") ? socket : currentDirectory() + "/" + socket
        try makeDirectories(directory)
        if let present = destination(of: path) {
            if present == target { return }
            guard !isServed(present) else {
                throw Failure(path: path, reason: "leads to \(present), which is served, and is left alone")
            }
        } else {
            guard errno == ENOENT else {
                let reason =
                    errno == EINVAL ? "is no link, and is left alone" : String(cString: strerror(errno))
                throw Failure(path: path, reason: reason)
            }
        }
        // Put in its place in one step: at no moment is there none.
        let new = "\(path).\(getpid())"
        unlink(new)
        guard symlink(target, new) == 0, rename(new, path) == 0 else {
            defer { unlink(new) }
            throw Failure(path: path, reason: "can't be made: \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the link where it is still ours.
    package func remove() {
        if destination(of: path) == target { unlink(path) }
    }
}

/// nil, and errno, where there is no link.
private func destination(of link: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
        count = buffer.withMemoryRebound(to: CChar.self) { readlink(link, $0.baseAddress!, $0.count) }
        count = max(0, count)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
}

/// One that is too busy to accept is served, too.
private func isServed(_ path: String) -> Bool {
    do {
        _ = try VarlinkClient(path: path, timeout: .milliseconds(100))
        return true
    } catch .noSocket, .refused, .badPath {
        return false
    } catch {
        return true
    }
}

private func makeDirectories(_ path: String) throws {
    for end in path.indices.dropFirst() + [path.endIndex] where end == path.endIndex || path[end] == "/" {
        let directory = String(path[..<end])
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw RegistryLink.Failure(
                path: directory, reason: "can't be made: \(String(cString: strerror(errno)))")
        }
    }
}

private func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
}
