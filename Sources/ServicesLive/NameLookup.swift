import FoundationEssentials
import Glibc
import NIOCore
import NIOPosix

/// Why a host's name leads to no address.
package enum NameFault: Hashable, Sendable {
    case unknownHost
    /// None can be reached, or none that knows.
    case noNameServer
    case other(String?)

    /// - Parameter code: of getaddrinfo(3), other than 0.
    package init(code: Int?) {
        // Those that are glibc's own, and left out by Swift.
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
        case .unknownHost: "there is no host of that name"
        case .noNameServer: "no name server gave an answer"
        case .other(let reason): "its name cannot be resolved" + (reason.map { ": \($0)" } ?? "")
        }
    }
}

/// Whether it was for its name that a host could not be reached in time, which the client does not tell from a host that
/// does not answer. Nil where the name has an address.
/// - Parameter lookUp: blocks; returns as getaddrinfo(3) does. It goes on where it takes longer than the limit.
package func nameFault(
    of host: String, within limit: Duration, lookUp: @escaping @Sendable (String) -> CInt = getAddress
) async -> NameFault? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let fault = loop.makePromise(of: NameFault?.self)
    let late = loop.scheduleTask(in: TimeAmount(limit)) { fault.succeed(.noNameServer) }
    NIOThreadPool.singleton.runIfActive(eventLoop: loop) { lookUp(host) }.whenComplete { result in
        late.cancel()
        let code = (try? result.get()) ?? 0
        fault.succeed(code == 0 ? nil : NameFault(code: Int(code)))
    }
    return await withTaskCancellationHandler {
        try? await fault.futureResult.get()
    } onCancel: {
        fault.succeed(nil)
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
