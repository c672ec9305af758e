import Discovery
import HTTP
import HTTPClient
import MessageText
import Model
import Settings
import UserdAPI

extension Discovery {
    /// Discovers by the proxies and authorities of the settings.
    static func run(
        _ name: OrganisationName, asksMicrosoft: Bool, _ settings: Settings
    ) async throws -> Discovered {
        let clients = HTTPClients()
        let limits = HTTPLimits(
            connectTimeout: settings.http.connectTimeout, deadline: settings.http.deadline,
            maxResponseBytes: settings.http.maxResponseBytes)
        let client = clients.client(limits, try NetworkOptions(settings))
        let discovery = Discovery(dns: .live(), transport: client.transport)
        let found = await discovery.directories(of: name, asksMicrosoft: asksMicrosoft)
        await clients.shutdown()
        return found
    }
}

extension Discovered {
    /// For a terminal.
    var text: String {
        var lines = complaints.map { "not asked: \($0.shown(upTo: 500))" }
        if directories.isEmpty { lines.append("nothing was found") }
        for directory in directories {
            lines.append(
                "\(directory.name) (\(directory.certainty.rawValue)): \(directory.because.shown(upTo: 500))")
            lines += directory.settings.map { "  \($0.name): \($0.value.shown(upTo: 500))" }
            if !directory.needed.isEmpty {
                lines.append("  and, from your administrator: \(directory.needed.joined(separator: ", "))")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
