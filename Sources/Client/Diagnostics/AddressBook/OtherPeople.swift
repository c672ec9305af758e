import Glibc

/// The names of the other people who may log in to this machine.
package func otherPeople(than user: UInt32) -> [String] {
    var names: [String] = []
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
