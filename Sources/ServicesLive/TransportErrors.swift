import AsyncHTTPClient
import FoundationEssentials
import Glibc
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Services

extension UpstreamError {
    /// What the HTTP client and the layers below it throw. Their own descriptions may hold headers, and so are not used
    /// where those could be among them.
    init(transportError error: any Error, request: HTTPRequest) {
        let place = request.url.shown
        switch error {
        case _ where isConnectionLoss(error):
            self.init(.offline, "\(place) closed the connection before it had answered in full")
        case let error as NIOConnectionError:
            self = .connecting(error, to: place)
        case let error as IOError:
            self = .connecting(error, to: place)
        case ChannelError.connectTimeout:
            self = .connectTimeout(place)
        case let error as HTTPClientError:
            self = .client(error, at: place)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            self.init(.tls, "no trusted connection to \(place): \(tlsReason(error))")
        case NIOHTTPDecompression.DecompressionError.limit:
            self.init(.tooLarge, "the answer of \(place) is larger than its limit once decompressed")
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self.init(.decode, "the compressed answer of \(place) is damaged")
        case let error as HTTPParserError:
            self.init(.http, "\(place) does not answer in HTTP: \(error)")
        default:
            self.init(.offline, "could not ask \(place): \(type(of: error))")
        }
    }

    private static func client(_ error: HTTPClientError, at place: String) -> UpstreamError {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            .connectTimeout(place)
        case .deadlineExceeded, .readTimeout, .writeTimeout:
            UpstreamError(.timeout, "\(place) did not answer in time")
        default:
            UpstreamError(.http, "could not ask \(place): \(error.shortDescription)")
        }
    }

    private static func connectTimeout(_ place: String) -> UpstreamError {
        UpstreamError(.timeout, "could not connect to \(place) in time")
    }

    /// A host by name: it has no address, or none of its addresses took the connection.
    private static func connecting(_ error: NIOConnectionError, to place: String) -> UpstreamError {
        guard let cause = error.connectionErrors.first?.error else {
            return UpstreamError(.offline, "could not find \(error.host): its name cannot be resolved")
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

/// Whether the other side went away in the middle.
func isConnectionLoss(_ error: any Error) -> Bool {
    switch error {
    case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection, NIOSSLError.uncleanShutdown,
        ChannelError.ioOnClosedChannel, ChannelError.eof, ChannelError.alreadyClosed:
        true
    case let error as HTTPClientError:
        error == .remoteConnectionClosed
    case let error as IOError:
        error.errnoCode == ECONNRESET || error.errnoCode == EPIPE
    default:
        false
    }
}

private func tlsReason(_ error: any Error) -> String {
    switch error {
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
        "its certificate is for another name"
    case NIOSSLError.unableToValidateCertificate:
        "its certificate is for another address"
    case NIOSSLError.handshakeFailed(let cause) where "\(cause)".contains("CERTIFICATE_VERIFY_FAILED"):
        "its certificate is expired, self-signed or of an unknown authority"
    case NIOSSLError.failedToLoadCertificate, NIOSSLError.noSuchFilesystemObject:
        "the additional trust roots cannot be read"
    default:
        "the handshake failed"
    }
}
