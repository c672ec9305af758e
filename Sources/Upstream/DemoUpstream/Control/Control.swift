import FoundationEssentials
import NIOCore
import NIOHTTP1

/// The control port: faults, edits, settings of the directories, tokens and the log of requests.
struct Control: Sendable {
    let site: Site
    let listener: Listener

    func setFaults(_ faults: [Fault]) async throws {
        try site.setFaults(faults)
        try await listener.set(open: !site.isDown)
    }

    func setDown(_ isDown: Bool) async throws {
        site.setDown(isDown)
        try await listener.set(open: !site.isDown)
    }

    func respond(to request: Request) -> Response {
        Response {
            .later {
                do {
                    return try await answer(request)
                } catch let error as ControlError {
                    return .failure(.badRequest, error.description)
                } catch let error as DecodingError {
                    return .failure(.badRequest, "the body is not valid: \(error)")
                } catch {
                    return .failure(.internalServerError, "\(error)")
                }
            }
        }
    }

    private func answer(_ request: Request) async throws -> ControlReply {
        switch (request.method, request.path) {
        case (.GET, "/control/faults"):
            return try .json(site.faults.map(FaultFields.init))
        case (.PUT, "/control/faults"):
            try await setFaults(try faults(in: request.body).map { try $0.fault() })
            return try .json(site.faults.map(FaultFields.init))
        case (.DELETE, "/control/faults"):
            try await setFaults([])
            return try .json(site.faults.map(FaultFields.init))
        case (.POST, "/control/edit"):
            try site.edit(try decode(Edit.self, from: request.body))
            return try .json(Edited(users: site.population.count))
        case (.GET, "/control/directory"):
            return try .json(site.tokens.settings)
        case (.PUT, "/control/directory"):
            try site.tokens.set(try decode(DemoUpstream.DirectorySettings.self, from: request.body))
            return try .json(site.tokens.settings)
        case (.DELETE, "/control/tokens"):
            return try .json(["revoked": site.tokens.revoke()])
        case (.GET, "/control/requests"):
            return try .json(Requests(counts: site.requestCounts, requests: site.recentRequests))
        case (.DELETE, "/control/requests"):
            site.forgetRequests()
            return try .json(Requests(counts: [:], requests: []))
        case (_, let path) where Self.paths.contains(path):
            return .failure(.methodNotAllowed, "\(path) does not support \(request.method.rawValue)")
        default:
            return .failure(.notFound, "unknown path; the paths are \(Self.paths.joined(separator: ", "))")
        }
    }

    /// A list, or a single fault without brackets.
    private func faults(in body: ByteBuffer) throws -> [FaultFields] {
        let isList = body.readableBytesView.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "[")
        return try isList ? decode([FaultFields].self, from: body) : [decode(FaultFields.self, from: body)]
    }

    private func decode<Value: Decodable>(_ type: Value.Type, from body: ByteBuffer) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    private static let paths = [
        "/control/faults", "/control/edit", "/control/directory", "/control/tokens", "/control/requests",
    ]

    private struct Edited: Encodable {
        let users: Int?
    }

    private struct Requests: Encodable {
        let counts: [String: Int]
        let requests: [RequestRecord]
    }
}

/// A complete reply of the control port.
struct ControlReply: Sendable {
    let status: HTTPResponseStatus
    let json: ByteBuffer
}

extension ControlReply {
    fileprivate static func json(_ value: some Encodable) throws -> ControlReply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ControlReply(status: .ok, json: ByteBuffer(bytes: try encoder.encode(value)))
    }

    fileprivate static func failure(_ status: HTTPResponseStatus, _ message: String) -> ControlReply {
        ControlReply(status: status, json: ByteBuffer(string: #"{"error":\#(message.jsonQuoted)}"#))
    }
}
