/// An HTTP server that answers like randomuser.me, catfact.ninja and directories, with generated portraits and, on
/// request, faults.
///
/// People, facts and portraits are the same on every machine. Call ``stop()`` when done, or use
/// ``withDemoUpstream(_:isolation:_:)``.
package final class DemoUpstream: Sendable {
    private let reservation: PortReservation
    private let controlReservation: PortReservation
    private let site: Site
    private let control: Control
    private let controlListener: Listener

    /// Listens on return, unless the configuration has the fault `down`.
    package static func start(_ configuration: Configuration = Configuration()) async throws -> DemoUpstream {
        try configuration.validate()
        let upstream = try DemoUpstream(configuration)
        do {
            try await upstream.controlListener.set(open: true)
            try await upstream.setFaults(configuration.faults)
        } catch {
            await upstream.stop()
            throw error
        }
        return upstream
    }

    private init(_ configuration: Configuration) throws {
        let reservation = try PortReservation(host: configuration.host, port: configuration.port)
        let controlReservation = try PortReservation(
            host: configuration.host, port: configuration.controlPort)
        let site = Site(configuration, base: reservation.url)
        let control = Control(site: site, listener: Listener(reservation) { site.respond(to: $0) })
        self.reservation = reservation
        self.site = site
        self.control = control
        self.controlReservation = controlReservation
        controlListener = Listener(controlReservation) { control.respond(to: $0) }
    }

    package var port: Int { reservation.port }

    /// Port of `/control/…`; reachable even while the upstream is down.
    package var controlPort: Int { controlReservation.port }

    /// `http://127.0.0.1:PORT` with a path, which begins with a slash.
    package func url(_ path: String = "") -> String { reservation.url + path }

    package var controlURL: String { controlReservation.url }

    /// Current faults with their remaining times.
    package var faults: [Fault] { site.faults }

    /// Replaces the faults. On return, the upstream is down if `down` is among them, otherwise up.
    package func setFaults(_ faults: [Fault]) async throws { try await control.setFaults(faults) }

    /// Closes all connections and refuses new ones.
    package func takeDown() async throws { try await control.setDown(true) }

    /// Listens again, on the same port.
    package func bringUp() async throws { try await control.setDown(false) }

    /// Number of people; nil for an endless supply.
    package var users: Int? { site.population.count }

    package func edit(_ edit: Edit) throws { try site.edit(edit) }

    package var directory: DirectorySettings { site.tokens.settings }

    package func setDirectory(_ settings: DirectorySettings) throws { try site.tokens.set(settings) }

    /// Ends all tokens of `/oauth2/token`; returns how many there were.
    @discardableResult package func revokeTokens() -> Int { site.tokens.revoke() }

    /// Number of requests for the path and paths below it; `/` means all.
    package func requests(for path: String = "/") -> Int { site.requestCount(for: path) }

    /// Number of conditional requests that were answered with 304.
    package var unchangedCount: Int { site.unchangedCount }

    /// The last 1,000 requests, newest last.
    package var recentRequests: [RequestRecord] { site.recentRequests }

    package func forgetRequests() { site.forgetRequests() }

    /// Requests from now on, each before it is answered.
    package func arrivals() -> AsyncStream<RequestRecord> { site.arrivals() }

    /// Closes all sockets.
    package func stop() async {
        await control.listener.stop()
        await controlListener.stop()
        site.endArrivals()
    }
}

/// Runs a demo upstream for the duration of the body.
package func withDemoUpstream<Result>(
    _ configuration: DemoUpstream.Configuration = DemoUpstream.Configuration(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (DemoUpstream) async throws -> Result
) async throws -> Result {
    let upstream = try await DemoUpstream.start(configuration)
    do {
        let result = try await body(upstream)
        await upstream.stop()
        return result
    } catch {
        await upstream.stop()
        throw error
    }
}
