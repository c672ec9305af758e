import Glibc
import Platform
import Varlink

/// The link that `varlinkctl --user list-registry` uses to find a service: named after the interface, in
/// `varlink/registry` of the runtime directory, with the socket as its target.
package struct RegistryLink: Sendable {
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let path: String
        package let reason: String

        package var description: String { "\(path) \(reason)" }
    }

    package let path: String
    private let target: String

    /// Creates the link, and its directory if missing. Does not replace a link to a socket that another
    /// process serves, nor a file of another kind. Throws `Failure`.
    ///
    /// - Parameters:
    ///   - directory: absolute path of the registry.
    ///   - socket: path of the socket, which must accept connections.
    package init(in directory: String, interface: String, to socket: String) throws {
        path = directory + "/" + interface
        target = socket.hasPrefix("/") ? socket : currentDirectory() + "/" + socket
        do throws(FileWriteError) { try makePrivateFolder(directory) } catch {
            throw Failure(path: error.path, reason: "can't be created: \(error.reason)")
        }
        if let present = linkTarget(of: path) {
            if present == target { return }
            guard !isServed(present) else {
                throw Failure(
                    path: path, reason: "leads to \(present), which another process serves; not replaced")
            }
        } else if errno == EINVAL {
            throw Failure(path: path, reason: "is not a symbolic link; not replaced")
        } else if errno != ENOENT {
            throw Failure(path: path, reason: String(cString: strerror(errno)))
        }
        // Renamed into place, so that the link exists at all times.
        let new = "\(path).\(getpid())"
        unlink(new)
        guard symlink(target, new) == 0, rename(new, path) == 0 else {
            defer { unlink(new) }
            throw Failure(path: path, reason: "can't be created: \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the link if it still leads to this socket.
    package func remove() {
        if linkTarget(of: path) == target { unlink(path) }
    }
}

/// EAGAIN: the server's backlog is full.
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

private func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
}
