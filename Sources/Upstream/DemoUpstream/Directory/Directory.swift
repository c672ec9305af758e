import NIOHTTP1

/// Answers below `/scim` and `/directory`.
struct Directory {
    let request: Request
    let settings: DemoUpstream.DirectorySettings
    let people: People
    /// `http://127.0.0.1:8080`
    let base: String
    let effects: FaultEffects

    static func serves(_ path: String) -> Bool { isWithin(path, "/scim") || isWithin(path, "/directory") }

    func reply() -> Reply {
        if request.path == "/scim/v2/ServiceProviderConfig" {
            return Reply(.ok, Self.headers(of: .scim), Body(SCIM.serviceProviderConfig(settings)))
        }
        guard let list = DirectoryList(rawValue: request.path) else {
            return Self.failure(.notFound, "\(request.path) is unknown")
        }
        // An endless population has no total, so a directory shows the beginning of it.
        let count = effects.outcome == .empty ? 0 : people.population.count ?? 250
        guard let range = DirectoryRange(list, request.parameters, settings, count: count, effects) else {
            return Self.failure(.badRequest, "the cursor is unknown", scimType: "invalidCursor")
        }
        var headers = Self.headers(of: list)
        let next = range.next.map { base + request.uri(with: list.parameters.page, $0) }
        let envelope: (String, String)
        switch list {
        case .scim: envelope = SCIM.envelope(range)
        case .url:
            envelope = (#"{"value":["#, "]\(next.map { #","@odata.nextLink":"\#($0)""# } ?? "")}")
        case .cursor:
            envelope = (#"{"users":["#, "]\(range.next.map { #","nextPageToken":"\#($0)""# } ?? "")}")
        case .link, .number, .offset: envelope = ("[", "]")
        }
        if list == .link {
            headers.add(name: "link", value: #"<\#(base)\#(request.uri)>; rel="self""#)
            if let next { headers.add(name: "link", value: #"<\#(next)>; rel="next""#) }
        }
        let writer = DirectoryWriter(people: people, base: base)
        let body = Body.list(envelope.0, range.positions, ending: envelope.1, cutOff: effects.cutOff) {
            people.person(at: $0 % max(1, count)).map { writer.text(of: $0, in: list) }
        }
        return Reply(.ok, headers, body)
    }

    /// As SCIM has them (RFC 7644, section 3.12).
    static func failure(_ status: HTTPResponseStatus, _ detail: String, scimType: String? = nil) -> Reply {
        let type = scimType.map { #""scimType":"\#($0)","# } ?? ""
        return Reply(
            status, headers(of: .scim),
            Body(
                #"{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"\#(status.code)",\#(type)"#
                    + #""detail":\#(detail.jsonQuoted)}"#))
    }

    static func unauthorized() -> Reply {
        var reply = failure(.unauthorized, "the token is missing, expired or revoked")
        reply.headers.add(name: "www-authenticate", value: #"Bearer realm="demo", error="invalid_token""#)
        return reply
    }

    private static func headers(of list: DirectoryList) -> HTTPHeaders {
        list == .scim ? ["content-type": "application/scim+json"] : .json
    }
}
