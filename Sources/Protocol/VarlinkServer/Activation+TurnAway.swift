import Glibc

extension Activation {
    /// Closes the connections that wait on the passed sockets. Call before an exit that needs a person:
    /// otherwise a service manager would restart this program for each of them at once, and soon give up.
    package static func turnAway(_ environment: [String: String]) {
        guard let sockets = try? passed(environment, getpid()) else { return }
        for (descriptor, _) in sockets {
            // Also of other servers.
            if option(SO_ACCEPTCONN, of: descriptor) == 1 { turnAway(descriptor) }
        }
    }

    /// - Parameter most: a bound, for clients that connect again and again.
    package static func turnAway(_ listener: Int32, most: Int = 10_000) {
        _ = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK)
        for _ in 0..<most {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 || errno == EINTR || errno == ECONNABORTED else { return }
            if connection >= 0 { close(connection) }
        }
    }
}
