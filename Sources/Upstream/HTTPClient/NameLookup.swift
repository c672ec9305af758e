import Glibc
import NIOCore
import NIOPosix

package enum NameFault: Error, Hashable, Sendable {
    case unknownHost
    case noNameServer
    case other(String?)

    /// - Parameter code: error of getaddrinfo(3), not 0.
    package init(code: Int?) {
        // EAI_NODATA and EAI_ADDRFAMILY of glibc, which Swift does not import.
        let (noData, addressFamily): (CInt, CInt) = (-5, -9)
        switch code.map(CInt.init(truncatingIfNeeded:)) {
        case EAI_NONAME, noData, addressFamily: self = .unknownHost
        case EAI_AGAIN: self = .noNameServer
        case let code?: self = .other(String(cString: gai_strerror(code)).lowercased())
        case nil: self = .other(nil)
        }
    }
}

extension NameFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownHost: "no host has this name"
        case .noNameServer: "no name server answered"
        case .other(let reason): "its name cannot be resolved" + (reason.map { ": \($0)" } ?? "")
        }
    }
}

/// After a connect timeout, checks whether name resolution was the cause, which the client does not report. Nil if
/// the name has an address.
func nameFault(of host: String, within limit: Duration) async -> NameFault? {
    do { _ = try await addresses(of: host, port: 0, within: limit) } catch { return error }
    return nil
}

/// A host's addresses with this port. A literal address returns itself; a cancelled task gets an empty list.
/// - Parameter lookUp: blocks; continues in the background after the limit.
package func addresses(
    of host: String, port: Int, within limit: Duration,
    lookUp: @escaping @Sendable (_ host: String, _ port: Int) -> Result<[SocketAddress], NameFault> = resolve
) async throws(NameFault) -> [SocketAddress] {
    let (answers, answer) = AsyncStream.makeStream(of: Result<[SocketAddress], NameFault>.self)
    let timer = Task {
        try await Task.sleep(for: limit)
        answer.yield(.failure(.noNameServer))
    }
    defer { timer.cancel() }
    NIOThreadPool.singleton.submit { _ in answer.yield(lookUp(host, port)) }
    for await found in answers { return try found.get() }
    return []
}

/// A host's addresses as text; empty if they can't be found within that time.
package typealias AddressLookup = @Sendable (_ host: String, _ limit: Duration) async -> [String]

@Sendable package func textAddresses(of host: String, within limit: Duration) async -> [String] {
    ((try? await addresses(of: host, port: 0, within: limit)) ?? []).compactMap(\.ipAddress)
}

@Sendable package func resolve(_ host: String, _ port: Int) -> Result<[SocketAddress], NameFault> {
    var hint = addrinfo()
    hint.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hint, &found)
    defer { if let found { freeaddrinfo(found) } }
    guard code == 0 else { return .failure(NameFault(code: Int(code))) }
    var addresses: [SocketAddress] = []
    var next = found
    while let entry = next?.pointee {
        if let address = SocketAddress(entry, port: port), !addresses.contains(address) {
            addresses.append(address)
        }
        next = entry.ai_next
    }
    return .success(addresses)
}

extension SocketAddress {
    /// Nil if it is not an IP address.
    fileprivate init?(_ entry: addrinfo, port: Int) {
        guard let bytes = entry.ai_addr.map(UnsafeRawPointer.init) else { return nil }
        switch entry.ai_family {
        case AF_INET: self.init(bytes.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: self.init(bytes.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
        self.port = port
    }
}
