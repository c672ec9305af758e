import Glibc
import Platform

/// The names of the other people who may log in to this machine. Those of a directory are rarely listed, so the directory
/// stands for them.
func otherPeople(than user: UInt32) -> [String] {
    let switches = (try? RegularFile("/etc/nsswitch.conf", upTo: 64 << 10).bytes) ?? []
    var names = directoriesOfPeople(String(decoding: switches, as: UTF8.self)).map {
        "everyone in the directory (\($0) in /etc/nsswitch.conf)"
    }
    setpwent()
    defer { endpwent() }
    while let entry = getpwent() {
        let (id, shell) = (entry.pointee.pw_uid, String(cString: entry.pointee.pw_shell))
        // Login ids of people (login.defs(5)).
        guard id != user, 1000..<60_000 ~= id, !shell.hasSuffix("/nologin"), !shell.hasSuffix("/false") else {
            continue
        }
        names.append(String(cString: entry.pointee.pw_name))
    }
    return names.sorted()
}

/// The sources of people that are elsewhere, such as `sss` (nsswitch.conf(5)).
func directoriesOfPeople(_ switches: String) -> [String] {
    let local: Set<Substring> = ["files", "compat", "systemd", "altfiles", "db", "mymachines"]
    let line = switches.split(separator: "\n").first { $0.drop { $0 == " " }.hasPrefix("passwd:") } ?? ""
    let sources = line.prefix { $0 != "#" }.split { $0.isWhitespace }.dropFirst()
    return sources.filter { !local.contains($0) && !$0.hasPrefix("[") && !$0.hasSuffix("]") }.map(String.init)
}
