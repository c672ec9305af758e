import Glibc
import Platform

/// Whether an address book answers at a port of this machine. Sends no password.
@Sendable func bookAnswer(_ port: Int) -> Bool {
    let text = answer(at: port) ?? ""
    return text.hasPrefix("HTTP/1.1 200")
        && text.lowercased().contains("\r\ndav: 1, 3, access-control, addressbook")
}

/// Why userd serves no address book at a port where it listens; nil if it serves one, or another program answers.
@Sendable func bookRefusal(_ port: Int) -> String? {
    guard let text = answer(at: port), text.hasPrefix("HTTP/1.1 503"),
        let end = text.firstRange(of: "\r\n\r\n")
    else { return nil }
    return String(text[end.upperBound...].prefix { !$0.isNewline })
}

/// The answer to OPTIONS; nil if there is none.
private func answer(at port: Int) -> String? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 3, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
        setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    guard LoopbackSocket.withAddress(port, { connect(descriptor, $0, $1) }) == 0 else { return nil }
    let request = Array("OPTIONS / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else { return nil }
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while answer.count < 16_384 {
        let count = recv(descriptor, &part, part.count, 0)
        guard count > 0 else { break }
        answer += part[..<count]
    }
    return String(decoding: answer, as: UTF8.self)
}
