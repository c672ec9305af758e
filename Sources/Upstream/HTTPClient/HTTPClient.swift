// HTTPClient: requests over the network, by async-http-client: connections, TLS, proxies, certificates,
// limits and timeouts.
//
// In: an HTTPRequest, and the limits of the settings.
// Out: the whole answer, decompressed, or an UpstreamError that says what failed and where
// (TransportErrors.swift).
//
// Start: LiveHTTP.swift makes the transport that services use, and HTTPExchange.swift does one exchange.
// TrustRoots.swift and PresentedCertificates.swift are about certificates, Proxies.swift about the way
// there. UpstreamProbe.swift tries each step for `--check-upstream`.
//
// Threads: connections are on NIO's shared event loops, one thread for each processor. Names of redirects
// are looked up on NIO's thread pool (NameLookup.swift), since that blocks.
