import Foundation
import HTTP
import Model
import StrictJSON
import YAML

@testable import Upstream

let now = Timestamp(rfc3339: "2026-01-02T03:04:05Z")!

extension DirectoryFormat {
    /// A format that comes with userd, or `json`, with keys of a configuration.
    static func configured(_ name: String = "json", _ yaml: String = "") throws -> DirectoryFormat {
        guard var format = try named(name) else { throw FormatMistake("no format \(name)") }
        if let node = try YAMLNode.document(Array(yaml.utf8)), case .mapping(let members) = node.content {
            for member in members {
                try format.override(
                    member.name, with: member.value, fields: UserField.all.map(\.name))
            }
        }
        return format
    }
}

/// The page that is read from an answer.
func page(
    _ body: String, _ format: DirectoryFormat, headers: HTTPHeaders = [:], status: Int = 200,
    url: String = "https://idp.example/users", _ request: PageRequest = .first
) async throws -> Page<User> {
    let transport = HTTPTransport { _ in
        HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    }
    let service = UsersService.live(
        .users(format, UpstreamSettings(url: URL(string: url)!, pageSize: format.pageSize), now: { now }),
        transport: transport,
        now: { now })
    return try await service.fetchPage(request, nil)
}

/// The answer as it is recorded.
func recorded(_ body: String, _ format: DirectoryFormat) throws -> String {
    let pages = PageReader.users(
        format, UpstreamSettings(url: URL(string: "https://idp.example/users")!, pageSize: 10), now: { now })
    return String(decoding: pages.kept(of: try JSONValue(upstream: Array(body.utf8))), as: UTF8.self)
}

/// The failure that an answer leads to.
func failure(_ body: String, _ format: DirectoryFormat, status: Int = 200) async throws -> Failure? {
    do {
        _ = try await page(body, format, status: status)
        return nil
    } catch let error as UpstreamError {
        return error.failure
    }
}
