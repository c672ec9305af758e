import Glibc

/// The directory of a path; `.` if the path has no slash.
package func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The names in a folder; none if it can't be read.
package func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    return names(of: directory)
}

/// The names in an open folder.
func names(of directory: OpaquePointer) -> [String] {
    var names: [String] = []
    while let entry = readdir(directory) {
        names.append(
            withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            })
    }
    return names
}

/// The target of a symbolic link, as it is written there; nil, with errno set, if the path is not a link.
package func linkTarget(of path: String) -> String? {
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
        count = buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) }
        count = max(0, count)
    }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
}
