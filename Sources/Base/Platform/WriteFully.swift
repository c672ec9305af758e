import Glibc

package struct WriteError: Error, CustomStringConvertible {
    /// `errno`
    let code: Int32

    package var description: String { String(cString: strerror(code)) }
}

/// Writes all bytes, and waits for a slow reader, also on a non-blocking descriptor.
package func writeFully(_ bytes: [UInt8], to descriptor: Int32) throws(WriteError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if written >= 0 {
            rest = rest.dropFirst(written)
            continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&ready, 1, -1)
        default: throw WriteError(code: errno)
        }
    }
}
