import AsyncHTTPClient
import FoundationEssentials
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import Services

/// The HTTP client that userd talks to the world with. Whoever makes one shuts it down.
package struct LiveHTTP: Sendable {
    /// Redirects followed by our own rule, each answer whole within the deadline.
    package let transport: HTTPTransport
    private let client: HTTPClient

    /// - Parameters:
    ///   - userAgent: `userd/VERSION`.
    ///   - additionalTrustRoots: PEM files of authorities to trust beside the system's.
    ///   - now: to say which of a certificate's dates is at fault.
    package init(
        limits: HTTPLimits, userAgent: String, additionalTrustRoots: [String] = [],
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
                let refusal =
                    isCertificateRefused(error)
                    ? await CertificateRefusal.reason(
                        at: request.url, within: limits.connectTimeout, now: now())
                    : nil
                throw UpstreamError(transportError: error, request: request, refusal: refusal)
            }
        }
        .followingRedirects()
        .within(limits.deadline)
    }

    /// Ends what is under way. The transport fails from then on.
    package func shutdown() async throws {
        try await client.shutdown()
    }
}

extension HTTPClient.Configuration {
    fileprivate static func userd(_ limits: HTTPLimits, additionalTrustRoots: [String]) -> Self {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.additionalTrustRoots = additionalTrustRoots.map { .file($0) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            timeout: Timeout(connect: TimeAmount(limits.connectTimeout)),
            // Pages follow one another at once, or not for hours.
            connectionPool: ConnectionPool(idleTimeout: .seconds(5)),
            decompression: .enabled(limit: .size(limits.maxResponseBytes)))
        configuration.httpVersion = .http1Only
        // When to try again is for the sync engine to say.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
