import HTTP
import HTTPClient
import Testing

/// Runs the work over a real HTTP client that is shut down afterwards.
func withHTTP<Value>(
    deadline: Duration = .seconds(20), connectTimeout: Duration = .seconds(10),
    maxResponseBytes: Int = 1 << 20, connectionsPerHost: Int = 8,
    trusting roots: [String] = [], proxies: Proxies = .none,
    _ work: (HTTPTransport) async throws -> Value
) async throws -> Value {
    let http = LiveHTTP(
        limits: HTTPLimits(
            connectTimeout: connectTimeout, deadline: deadline, maxResponseBytes: maxResponseBytes,
            connectionsPerHost: connectionsPerHost),
        userAgent: "userd/1.2", additionalTrustRoots: try #require(TrustRoots(files: roots)),
        proxies: proxies)
    let result: Result<Value, any Error>
    do { result = .success(try await work(http.transport)) } catch { result = .failure(error) }
    try await http.shutdown()
    return try result.get()
}
