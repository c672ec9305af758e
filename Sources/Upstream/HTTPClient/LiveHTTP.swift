import AsyncHTTPClient
import FoundationEssentials
import HTTP
import Model
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL

/// userd's HTTP client. The creator must shut it down.
package struct LiveHTTP: Sendable {
    /// Follows redirects by userd's own rule; the deadline covers the whole answer.
    package let transport: HTTPTransport
    package let redirects: RedirectRule
    private let clients: [HTTPClient]

    /// - Parameters:
    ///   - additionalTrustRoots: authorities to trust besides the system's.
    ///   - recorder: records each exchange; nil for no recording.
    ///   - lookUp: finds where a redirect leads.
    ///   - now: the wall clock, to check a certificate's dates.
    package init(
        limits: HTTPLimits, userAgent: String, additionalTrustRoots: TrustRoots = .none,
        proxies: Proxies = .none, recorder: Recorder? = nil,
        lookUp: @escaping AddressLookup = textAddresses,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) {
        func client(_ proxy: ProxyAddress?) -> HTTPClient {
            HTTPClient(configuration: .userd(limits, additionalTrustRoots, proxy))
        }
        let direct = client(nil)
        let proxied = Dictionary(uniqueKeysWithValues: proxies.all.map { ($0, client($0)) })
        clients = [direct] + proxied.values
        let redirects = RedirectRule(
            isProxied: { proxies.looksUp($0) }, lookUp: { await lookUp($0, limits.connectTimeout) })
        self.redirects = redirects
        transport = HTTPTransport { request in
            guard request.url.isHTTPAddress else {
                throw UpstreamError(.redirect, "\(request.url.shown) is not a valid http or https address")
            }
            let proxy = try proxies.proxy(for: request.url)
            let exchange = HTTPExchange(
                client: proxy.flatMap { proxied[$0] } ?? direct, request: request, limits: limits,
                userAgent: userAgent)
            do {
                return try await exchange.run()
            } catch  where !(error is UpstreamError || error is AnswerCutOff) {
                var failure = await failure(
                    error, of: request, limits, proxy, trusting: additionalTrustRoots, now: now())
                failure.isUnsent = isOfConnecting(error)
                throw failure
            }
        }
        .recorded(by: recorder).answeringInFull(within: limits.deadline, redirects: redirects)
    }

    /// Cancels running requests. Later requests fail.
    package func shutdown() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for client in clients { group.addTask { try await client.shutdown() } }
        }
    }
}

/// Turns the client's error into an `UpstreamError`; checks name and certificate again if that tells failures apart.
func failure(
    _ error: any Error, of request: HTTPRequest, _ limits: HTTPLimits, _ proxy: ProxyAddress? = nil,
    trusting roots: TrustRoots, now: Timestamp
) async -> UpstreamError {
    if let proxy {
        // The checks below would bypass the proxy.
        return UpstreamError(error, through: proxy, request: request)
            ?? UpstreamError(transportError: error, request: request, proxy: proxy)
    }
    if isConnectTimeout(error), let host = HTTPOrigin(request.url)?.host, !host.isAddress,
        let fault = await nameFault(of: host.text, within: .seconds(2))
    {
        return UpstreamError(fault, host: host.text)
    }
    let refusal =
        isCertificateRefused(error)
        ? await CertificateRefusal.reason(
            at: request.url, within: limits.connectTimeout, trusting: roots, now: now) : nil
    return UpstreamError(transportError: error, request: request, refusal: refusal)
}

extension HTTPClient.Configuration {
    fileprivate static func userd(_ limits: HTTPLimits, _ roots: TrustRoots, _ proxy: ProxyAddress?) -> Self {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: .userd(additionalTrustRoots: roots),
            redirectConfiguration: .disallow,
            timeout: Timeout(connect: TimeAmount(limits.connectTimeout)),
            // Pages follow each other at once; the next sync is minutes away.
            connectionPool: ConnectionPool(
                idleTimeout: .seconds(5),
                concurrentHTTP1ConnectionsPerHostSoftLimit: limits.connectionsPerHost),
            decompression: .enabled(limit: .size(limits.maxResponseBytes)))
        configuration.httpVersion = .http1Only
        configuration.http1_1ConnectionDebugInitializer = ContentCodings.add
        configuration.proxy = proxy.map(HTTPClient.Configuration.Proxy.init)
        // The sync engine decides on retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}

extension HTTPClient.Configuration.Proxy {
    fileprivate init(_ proxy: ProxyAddress) {
        if proxy.isSOCKS {
            self = .socksServer(host: proxy.host.text, port: proxy.port)
        } else {
            let authorization = proxy.user.map {
                HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
            }
            self = .server(host: proxy.host.text, port: proxy.port, authorization: authorization)
        }
    }
}

extension TLSConfiguration {
    static func userd(additionalTrustRoots: TrustRoots = .none) -> Self {
        var tls = TLSConfiguration.makeClientConfiguration()
        let roots = additionalTrustRoots.certificates
        if !roots.isEmpty { tls.additionalTrustRoots = [.certificates(roots)] }
        tls.applicationProtocols = ["http/1.1"]
        // RFC 9325, section 3.1.1.
        tls.minimumTLSVersion = .tlsv12
        return tls
    }
}
