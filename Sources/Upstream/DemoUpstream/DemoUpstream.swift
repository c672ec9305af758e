/// An HTTP server that answers as randomuser.me and catfact.ninja do, with portraits of its own, and with faults when asked.
///
/// Its people, facts and portraits are the same on every machine. Stop it when done, as ``withDemoUpstream(_:isolation:_:)``
/// does.
package final class DemoUpstream: Sendable {
    package let host: String
    package let port: Int
    /// Where `/control/…` is served; it stays reachable while the upstream is down.
    package let controlPort: Int
    private let site: Site
    private let control: Control
    private let listener: Listener
    private let controlListener: Listener
    private let reservation: PortReservation

    /// Listens when it returns, unless the fault `down` is among those of the configuration.
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

    /// `http://127.0.0.1:PORT` and the path, which begins with a slash.
    package func url(_ path: String = "") -> String { "http://\(Self.authority(host, port))\(path)" }

    /// The same for the control port.
    package func controlURL(_ path: String = "") -> String {
        "http://\(Self.authority(host, controlPort))\(path)"
    }

    /// The faults in force, each with the times that are left.
    package var faults: [Fault] { site.faults }

    /// Puts these in place of those in force. When it returns, the upstream is down if `down` is among them, else up.
    package func setFaults(_ faults: [Fault]) async throws { try await control.setFaults(faults) }

    /// Refuses connections from now on, and closes those there are.
    package func takeDown() async throws { try await control.setDown(true) }

    /// Listens again, on the same port.
    package func bringUp() async throws { try await control.setDown(false) }

    /// How many people there are; nil for an endless supply.
    package var users: Int? { site.population.count }

    package func edit(_ edit: Edit) throws { try site.edit(edit) }

    /// How many requests came for the path or for one below it; for all paths where it is `/`.
    package func requests(for path: String = "/") -> Int { site.requestCount(for: path) }

    /// How many requests were answered with a 304 that they had asked for.
    package var unchangedCount: Int { site.unchangedCount }

    /// The last 1,000 requests, the newest at the end.
    package var recentRequests: [RequestRecord] { site.recentRequests }

    package func forgetRequests() { site.forgetRequests() }

    /// Each request from now on, as it arrives and before it is answered.
    package func arrivals() -> AsyncStream<RequestRecord> { site.arrivals() }

    /// Closes all that it has open.
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

/// Runs a demo upstream for as long as the body does.
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
