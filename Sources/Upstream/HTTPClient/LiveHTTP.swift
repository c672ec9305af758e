import AsyncHTTPClient
import FoundationEssentials
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import Services

/// userd's HTTP client. The creator must shut it down.
package struct LiveHTTP: Sendable {
    /// Follows redirects by our own rule; the deadline covers the whole answer.
    package let transport: HTTPTransport
    private let client: HTTPClient

    /// - Parameters:
    ///   - userAgent: `userd/VERSION`.
    ///   - additionalTrustRoots: PEM files of authorities to trust besides the system's.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - now: the wall clock, to check a certificate's dates.
    package init(
        limits: HTTPLimits, userAgent: String, additionalTrustRoots: [String] = [],
        recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) {
        let client = HTTPClient(configuration: .userd(limits, additionalTrustRoots: additionalTrustRoots))
        self.client = client
        transport = HTTPTransport { request in
            let exchange = HTTPExchange(
                client: client, request: request, limits: limits, userAgent: userAgent)
            do {
                return try await exchange.run()
            } catch let error as UpstreamError {
                throw error
            } catch let cut as AnswerCutOff {
                throw cut
            } catch {
                throw await failure(error, of: request, limits, now: now())
            }
        }
        .recorded(by: recorder).answeringInFull(within: limits.deadline)
    }

    /// Cancels running requests. Later requests fail.
    package func shutdown() async throws {
        try await client.shutdown()
    }
}

/// Turns the client's error into an `UpstreamError`; checks name and certificate again if that tells failures apart.
func failure(
    _ error: any Error, of request: HTTPRequest, _ limits: HTTPLimits, now: Timestamp
) async -> UpstreamError {
    if isConnectTimeout(error), let host = request.url.host(), !isAddress(host),
        let fault = await nameFault(of: host, within: .seconds(2))
    {
        return UpstreamError(fault, host: host)
    }
    let refusal =
        isCertificateRefused(error)
        ? await CertificateRefusal.reason(at: request.url, within: limits.connectTimeout, now: now) : nil
    return UpstreamError(transportError: error, request: request, refusal: refusal)
}

/// Also true for an IPv6 address in brackets.
func isAddress(_ host: String) -> Bool {
    host.hasPrefix("[") || (try? SocketAddress(ipAddress: host, port: 0)) != nil
}

extension HTTPClient.Configuration {
    fileprivate static func userd(_ limits: HTTPLimits, additionalTrustRoots: [String]) -> Self {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .userd(additionalTrustRoots: additionalTrustRoots),
            redirectConfiguration: .disallow,
            timeout: Timeout(connect: TimeAmount(limits.connectTimeout)),
            // Pages follow each other at once; the next sync is minutes away.
            connectionPool: ConnectionPool(
                idleTimeout: .seconds(5),
                concurrentHTTP1ConnectionsPerHostSoftLimit: limits.connectionsPerHost),
            decompression: .enabled(limit: .size(limits.maxResponseBytes)))
        configuration.httpVersion = .http1Only
        // The sync engine decides on retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}

extension TLSConfiguration {
    static func userd(additionalTrustRoots: [String] = []) -> Self {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = additionalTrustRoots.map { .file($0) }
        tls.applicationProtocols = ["http/1.1"]
        return tls
    }
}
