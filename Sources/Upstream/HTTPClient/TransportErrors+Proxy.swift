import AsyncHTTPClient
import FoundationEssentials
import HTTP
import Model
import NIOCore
import NIOSOCKS

extension UpstreamError {
    /// An error that the proxy caused, or may have caused; nil for the upstream's errors.
    init?(_ error: any Error, through proxy: ProxyAddress, request: HTTPRequest) {
        let upstream = request.url.shown
        let target = HTTPOrigin(request.url).map { "\($0.host.text.shown(upTo: 253)):\($0.port)" } ?? upstream
        if let verb = connectionLoss(error) {
            self.init(
                .offline,
                "the connection to \(upstream) through the proxy \(proxy) was \(verb) before it had answered in full"
            )
            return
        }
        switch error {
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            self.init(
                .http, "the proxy \(proxy) answered 407: it requires a user and a password", status: 407,
                advice: proxy.user == nil ? .nameProxyUser : .checkProxyUser)
        case let error as HTTPClientError where error == .invalidProxyResponse:
            self.init(.offline, "the proxy \(proxy) does not connect to \(target): it refused CONNECT")
        case let error as SOCKSError.ConnectionFailed:
            self.init(.offline, "the proxy \(proxy) does not connect to \(target): \(error.reply.words)")
        case is SOCKSError.NoValidAuthenticationMethod, is SOCKSError.InvalidAuthenticationSelection:
            self.init(
                .offline,
                "the proxy \(proxy) requires a user and a password, which userd does not support over SOCKS")
        case _ where String(reflecting: type(of: error)).hasPrefix("NIOSOCKS."):
            self.init(.offline, "the proxy \(proxy) does not speak SOCKS 5")
        case _ where isConnectTimeout(error):
            // Either the proxy was slow, or it waited for the upstream.
            self.init(.timeout, "no connection to \(target) through the proxy \(proxy) in time")
        default:
            return nil
        }
    }
}

extension SOCKSServerReply {
    /// RFC 1928, section 6.
    fileprivate var words: String {
        switch self {
        case .notAllowed: "not allowed by its rules"
        case .networkUnreachable: "network unreachable"
        case .hostUnreachable: "host unreachable"
        case .refused: "connection refused"
        case .ttlExpired: "TTL expired"
        default: "failure \(value)"
        }
    }
}
