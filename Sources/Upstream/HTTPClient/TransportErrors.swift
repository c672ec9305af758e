import AsyncHTTPClient
import FoundationEssentials
import Glibc
import HTTP
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

extension UpstreamError {
    /// An error of the HTTP client or the layers below. Their own descriptions are not used where they may contain
    /// headers.
    /// - Parameters:
    ///   - refusal: why the server's certificate was refused, if known.
    ///   - proxy: the proxy that the connection leads to, if any.
    init(
        transportError error: any Error, request: HTTPRequest, refusal: CertificateRefusal? = nil,
        proxy: ProxyAddress? = nil
    ) {
        let place = request.url.shown
        let peer = proxy.map { "the proxy \($0)" } ?? place
        if let verb = connectionLoss(error) {
            self.init(.offline, "\(place) \(verb) the connection before it had answered in full")
            return
        }
        switch error {
        case let error as NIOConnectionError:
            self = .connecting(error, to: peer, what: proxy == nil ? "" : "the proxy ")
        case let error as IOError:
            self = .connecting(error, to: peer)
        case _ where isConnectTimeout(error):
            self = .connectTimeout(place)
        case let error as HTTPClientError:
            self = .client(error, at: place)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tls, "no trusted connection to \(place): \(tlsReason(error, refusal))")
        case NIOHTTPDecompression.DecompressionError.limit:
            self.init(
                .tooLarge, "the answer of \(place) is larger than the limit after decompression",
                advice: .raiseResponseLimit)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self.init(.decode, "the compressed answer of \(place) is damaged")
        case let error as HTTPParserError:
            self.init(.http, "\(place) does not answer in HTTP: \(error)")
        default:
            self.init(.offline, "the request to \(place) failed: \(type(of: error))")
        }
    }

    /// - Parameter what: words before the host's name, such as `the proxy `.
    init(_ fault: NameFault, host: String, what: String = "") {
        self.init(.offline, "could not find \(what)\(host.shown(upTo: 253)): \(fault)")
    }

    private static func client(_ error: HTTPClientError, at place: String) -> UpstreamError {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout:
            UpstreamError(.timeout, "\(place) did not answer in time")
        default:
            UpstreamError(.http, "the request to \(place) failed: \(error.shortDescription)")
        }
    }

    private static func connectTimeout(_ place: String) -> UpstreamError {
        UpstreamError(.timeout, "could not connect to \(place) in time")
    }

    /// The error of a host name without an address, or of one whose addresses all refused the connection.
    private static func connecting(
        _ error: NIOConnectionError, to place: String, what: String
    ) -> UpstreamError {
        guard let cause = error.connectionErrors.first?.error else {
            let codes = [error.dnsAError, error.dnsAAAAError].compactMap {
                ($0 as? SocketAddressError.UnknownHost)?.errorCode
            }
            return UpstreamError(NameFault(code: codes.first), host: error.host, what: what)
        }
        if let cause = cause as? IOError { return connecting(cause, to: place) }
        if case ChannelError.connectTimeout = cause { return connectTimeout(place) }
        return UpstreamError(.offline, "could not connect to \(place)")
    }

    private static func connecting(_ error: IOError, to place: String) -> UpstreamError {
        let reason = strerror(error.errnoCode).map { String(cString: $0).lowercased() } ?? "unknown error"
        return UpstreamError(
            error.errnoCode == ETIMEDOUT ? .timeout : .offline, "could not connect to \(place): \(reason)")
    }
}

/// How the peer ended the connection; nil for other errors.
func connectionLoss(_ error: any Error) -> String? {
    switch error {
    case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection, NIOSSLError.uncleanShutdown,
        ChannelError.ioOnClosedChannel, ChannelError.eof, ChannelError.alreadyClosed:
        "closed"
    case let error as HTTPClientError where error == .remoteConnectionClosed:
        "closed"
    case let error as IOError where error.errnoCode == ECONNRESET || error.errnoCode == EPIPE:
        "reset"
    default:
        nil
    }
}

func isConnectTimeout(_ error: any Error) -> Bool {
    if case ChannelError.connectTimeout = error { return true }
    // The pool and the handshake use the same timeout.
    let timeouts: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout]
    return (error as? HTTPClientError).map(timeouts.contains) ?? false
}

/// Whether there was no connection to send the request over.
func isOfConnecting(_ error: any Error) -> Bool {
    switch error {
    case is NIOConnectionError, is NIOSSLExtraError, NIOSSLError.handshakeFailed,
        NIOSSLError.unableToValidateCertificate:
        true
    case is IOError: connectionLoss(error) == nil
    default: isConnectTimeout(error)
    }
}

/// Whether BoringSSL refused the certificate without giving a reason.
func isCertificateRefused(_ error: any Error) -> Bool {
    if case NIOSSLError.handshakeFailed(let cause) = error {
        return "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
    }
    return false
}

private func tlsReason(_ error: any Error, _ refusal: CertificateRefusal?) -> String {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is for another name"
    case NIOSSLError.unableToValidateCertificate:
        "its certificate is for another address"
    case _ where isCertificateRefused(error):
        refusal?.description ?? "its certificate is expired, self-signed or from an unknown authority"
    case NIOSSLError.handshakeFailed(let cause):
        handshakeReason("\(cause)")
    default:
        "the handshake failed"
    }
}

/// The reason is only available as BoringSSL's name in the text.
private func handshakeReason(_ cause: String) -> String {
    if cause.contains("WRONG_VERSION_NUMBER") || cause.contains("HTTP_REQUEST") {
        return "it does not speak TLS; does its address begin with http://?"
    }
    if cause.contains("EOF during handshake") { return "it closed the connection during the handshake" }
    // "error:10000410:SSL routines:OPENSSL_internal:SSLV3_ALERT_HANDSHAKE_FAILURE at file:line"
    let name = cause.split(separator: "OPENSSL_internal:").dropFirst().first?.prefix {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
    }
    guard let name, !name.isEmpty else { return "the handshake failed" }
    return "the handshake failed: \(name.lowercased().replacing("_", with: " "))"
}
