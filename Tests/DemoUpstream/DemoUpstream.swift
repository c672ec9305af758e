import Synchronization

/// An HTTP server that answers like randomuser.me, catfact.ninja and directories, with faults on request. People, facts
/// and portraits are the same on every machine. Call ``stop()`` when done.
package final class DemoUpstream: Sendable {
    package struct Configuration: Sendable {
        /// 0 for a free port; see ``DemoUpstream/port``.
        package var port = 0
        /// Number of people; nil for an endless supply, like randomuser.me.
        package var users: Int?
        /// At most 120.
        package var facts = 120
        /// The token that `/scim` and `/directory` require; nil for none.
        package var token: String?
        package var faults: [Fault] = []
        package init() {}
    }

    static let host = "127.0.0.1"
    private let reservation: PortReservation
    private let site: Site
    private let server: Server

    /// Listens on return, unless the configuration has the fault `down`.
    package init(_ configuration: Configuration = Configuration()) async throws {
        reservation = try PortReservation(port: configuration.port)
        let site = Site(configuration, base: "http://\(Self.host):\(reservation.port)")
        self.site = site
        server = Server(port: reservation.port) { site.answer($0) }
        try await setFaults(configuration.faults)
    }

    package var port: Int { reservation.port }
    /// `http://127.0.0.1:PORT` with a path, which begins with a slash.
    package func url(_ path: String = "") -> String { "http://\(Self.host):\(port)\(path)" }

    /// Current faults with their remaining times.
    package var faults: [Fault] { site.state.withLock { $0.faults } }

    /// Replaces the faults. On return, the upstream is down if `down` is among them, otherwise up.
    package func setFaults(_ faults: [Fault]) async throws {
        site.state.withLock { $0.faults = faults }
        try await server.set(open: !self.faults.contains { $0.kind == .down })
    }

    package func takeDown() async throws { try await setFaults(faults + [Fault(.down)]) }
    package func bringUp() async throws { try await setFaults(faults.filter { $0.kind != .down }) }

    package func edit(_ edit: Edit) throws { try site.state.withLock { try $0.population.apply(edit) } }

    /// Number of requests for the path and paths below it; `/` means all.
    package func requests(for path: String = "/") -> Int { recentRequests.count { isWithin($0.path, path) } }

    /// Number of conditional requests that were answered with 304.
    package var unchangedCount: Int { site.state.withLock { $0.unchanged } }

    /// The last 10,000 requests at least, newest last.
    package var recentRequests: [Request] { site.state.withLock { $0.requests } }

    package func forgetRequests() { site.state.withLock { ($0.requests, $0.unchanged) = ([], 0) } }

    /// Yields each request from now on, before it is answered.
    package func arrivals() -> AsyncStream<Request> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1000)) { observer in
            site.state.withLock { $0.observers.append(observer) }
        }
    }

    package func stop() async {
        try? await server.set(open: false)
        for observer in site.state.withLock({ $0.observers }) { observer.finish() }
    }
}

/// Runs a demo upstream for the duration of the body.
package func withDemoUpstream<Result>(
    _ configuration: DemoUpstream.Configuration = DemoUpstream.Configuration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (DemoUpstream) async throws -> Result
) async throws -> Result {
    let upstream = try await DemoUpstream(configuration)
    do {
        let result = try await body(upstream)
        await upstream.stop()
        return result
    } catch {
        await upstream.stop()
        throw error
    }
}
