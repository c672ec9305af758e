import Glibc
import Platform

/// The folders that the sandbox of userd's service hides: homes and temporary ones, but for config.yaml's own.
struct Sandbox {
    private let hidden: [String]
    private let shown: String

    /// - Parameter folder: that of config.yaml.
    init(home: String?, folder: String) {
        hidden = [home].compactMap(\.self) + ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]
        shown = folder
    }

    func hides(_ path: String) -> Bool {
        let path = resolved(path)
        func isBelow(_ folder: String) -> Bool { path.hasPrefix(resolved(folder) + "/") }
        return hidden.contains(where: isBelow) && !isBelow(shown)
    }

    /// Whether a folder has much else in it, such as the sockets of a session, so that the service may not see it.
    func holdsMuch(_ folder: String) -> Bool {
        let beginning = folder == "/" ? folder : folder + "/"
        return hidden.contains { "\($0)/".hasPrefix(beginning) } || parent(of: folder) == "/run/user"
    }
}

/// A path without links; as it is if there is no such file.
private func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
}
