import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix

/// Why a host name was not resolved.
package enum NameFault: Error, Hashable, Sendable {
    case unknownHost
    /// No name server is reachable, or none knows the name.
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
        case .unknownHost: "there is no host of this name"
        case .noNameServer: "no name server answered"
        case .other(let reason): "its name cannot be resolved" + (reason.map { ": \($0)" } ?? "")
        }
    }
}

/// After a connect timeout, checks whether name resolution was the cause, which the client does not report. Nil if
/// the name has an address.
/// - Parameter lookUp: blocks; returns like getaddrinfo(3). Continues in the background after the limit.
package func nameFault(
    of host: String, within limit: Duration, lookUp: @escaping @Sendable (String) -> CInt = getAddress
) async -> NameFault? {
    await onPool(within: limit, late: .noNameServer, cancelled: nil) {
        let code = lookUp(host)
        return code == 0 ? nil : NameFault(code: Int(code))
    }
}

/// A host's addresses with this port. A literal address returns itself.
package func addresses(
    of host: String, port: Int, within limit: Duration
) async throws(NameFault) -> [SocketAddress] {
    let found = await onPool(within: limit, late: .failure(.noNameServer), cancelled: .success([])) {
        resolve(host, port: port)
    }
    return try found.get()
}

/// A host's addresses as text; none if they can't be found within that time.
package typealias AddressLookup = @Sendable (_ host: String, _ limit: Duration) async -> [String]

@Sendable package func textAddresses(of host: String, within limit: Duration) async -> [String] {
    ((try? await addresses(of: host, port: 0, within: limit)) ?? []).compactMap(\.ipAddress)
}

/// Runs a blocking call on a thread pool. It continues in the background after the limit.
private func onPool<Value: Sendable>(
    within limit: Duration, late: Value, cancelled: Value, _ body: @escaping @Sendable () -> Value
) async -> Value {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let value = loop.makePromise(of: Value.self)
    let timer = loop.scheduleTask(in: TimeAmount(limit)) { value.succeed(late) }
    NIOThreadPool.singleton.runIfActive(eventLoop: loop, body).whenComplete { result in
        timer.cancel()
        value.succeed((try? result.get()) ?? late)
    }
    return await withTaskCancellationHandler {
        (try? await value.futureResult.get()) ?? late
    } onCancel: {
        value.succeed(cancelled)
    }
}

private func resolve(_ host: String, port: Int) -> Result<[SocketAddress], NameFault> {
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

@Sendable package func getAddress(of host: String) -> CInt {
    var hint = addrinfo()
    hint.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hint, &found)
    if let found { freeaddrinfo(found) }
    return code
}
