/// An HTTP server that answers like randomuser.me and catfact.ninja, with generated portraits and, on request,
/// faults.
///
/// People, facts and portraits are the same on every machine. Call ``stop()`` when done, or use
/// ``withDemoUpstream(_:isolation:_:)``.
package final class DemoUpstream: Sendable {
    package let host: String
    package let port: Int
    /// Port of `/control/…`; reachable even while the upstream is down.
    package let controlPort: Int
    private let site: Site
    private let control: Control
    private let listener: Listener
    private let controlListener: Listener
    private let reservation: PortReservation

    /// Listens on return, unless the configuration has the fault `down`.
    package static func start(_ configuration: Configuration = Configuration()) async throws -> DemoUpstream {
        try configuration.validate()
        let host = configuration.host
        let reservation = try PortReservation(host: host, port: configuration.port)
        let site = Site(configuration, base: "http://\(authority(host, reservation.port))")
        let listener = Listener(host: host, port: reservation.port) { site.respond(to: $0) }
        let control = Control(site: site, listener: listener)
        let controlListener = Listener(host: host, port: configuration.controlPort) {
            control.respond(to: $0)
        }
        do {
            let controlPort = try await controlListener.open()
            try await control.setFaults(configuration.faults)
            return DemoUpstream(
                host: host, controlPort: controlPort, site: site, control: control, listener: listener,
                controlListener: controlListener, reservation: reservation)
        } catch {
            await controlListener.close()
            throw error
        }
    }

    private init(
        host: String, controlPort: Int, site: Site, control: Control, listener: Listener,
        controlListener: Listener, reservation: PortReservation
    ) {
        self.host = host
        self.port = reservation.port
        self.controlPort = controlPort
        self.site = site
        self.control = control
        self.listener = listener
        self.controlListener = controlListener
        self.reservation = reservation
    }

    /// `http://127.0.0.1:PORT` with a path, which begins with a slash.
    package func url(_ path: String = "") -> String { "http://\(Self.authority(host, port))\(path)" }

    /// A URL of the control port.
    package func controlURL(_ path: String = "") -> String {
        "http://\(Self.authority(host, controlPort))\(path)"
    }

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
        await listener.close()
        await controlListener.close()
        site.endArrivals()
        reservation.release()
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
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
