import FoundationEssentials
import Model

/// Decides where redirects, and the addresses that an upstream names, may lead.
package struct RedirectRule: Sendable {
    /// Whether any host is allowed, since a recording answers.
    package var isExempt: @Sendable (URL) -> Bool
    /// Whether a proxy connects to the host. It also looks up its name, so that userd can't know its rank.
    package var isProxied: @Sendable (URL) -> Bool
    /// The addresses of a host name; none if they can't be found.
    package var lookUp: @Sendable (_ host: String) async -> [String]

    package init(
        isExempt: @escaping @Sendable (URL) -> Bool = { _ in false },
        isProxied: @escaping @Sendable (URL) -> Bool = { _ in false },
        lookUp: @escaping @Sendable (_ host: String) async -> [String] = { _ in [] }
    ) {
        self.isExempt = isExempt
        self.isProxied = isProxied
        self.lookUp = lookUp
    }

    /// A host may lead only to hosts that are no nearer to this machine than itself. The client looks names up once more:
    /// this guards against mistakes and sign-in pages, not against the owner of the name server.
    package func allows(_ target: URL, from url: URL) async -> Bool {
        guard let to = HTTPOrigin(target)?.host, let from = HTTPOrigin(url)?.host else { return false }
        if to == from || isExempt(target) { return true }
        // Behind a proxy, a private address may be as near to the proxy as the host that names it.
        if isProxied(target) { return to.rank != .thisMachine }
        let rank = await rank(of: to, at: target)
        if rank == .outside { return true }
        return await rank <= self.rank(of: from, at: url)
    }

    /// A name's rank is the nearest of what it resolves to.
    private func rank(of host: HTTPHost, at url: URL) async -> HTTPHost.Rank {
        if let rank = host.rank { return rank }
        if isProxied(url) { return .outside }
        return await lookUp(host.text).compactMap { HTTPHost($0)?.rank }.max() ?? .outside
    }
}

extension HTTPTransport {
    /// Follows at most five redirects by userd's own rule.
    ///
    /// The scheme never changes; a person has to set an https address. Credentials never go to another origin. A host
    /// cannot redirect to one that is nearer to this machine; names count as what they resolve to. A request with a body
    /// is not redirected. Loops are refused. A refusal is an `UpstreamError` of kind `redirect`. A 304 is an answer.
    package func followingRedirects(_ rule: RedirectRule = RedirectRule()) -> HTTPTransport {
        HTTPTransport { request in
            var request = request
            var visited: Set<URL> = [request.url]
            while true {
                var response = try await send(request)
                let url = request.url
                guard let target = try redirectTarget(of: response, from: url),
                    !request.staysAtOrigin || HTTPOrigin(target) == HTTPOrigin(url)
                else {
                    if visited.count > 1 { response.url = url }
                    return response
                }
                guard await rule.allows(target, from: url) else {
                    throw refusal(url, to: target, "an address of this machine or of a private network")
                }
                guard request.body == nil else {
                    throw refusal(
                        url, to: target,
                        "but the request has a body, which may hold a secret; if the new address is right, set it"
                    )
                }
                guard visited.count <= maximumRedirects else {
                    throw refusal(url, to: target, "after \(maximumRedirects) redirects")
                }
                guard visited.insert(target).inserted else {
                    throw refusal(url, to: target, "which was requested before: a loop")
                }
                request = request.redirected(to: target)
            }
        }
    }
}

private let maximumRedirects = 5

/// Nil if the answer is not a redirect; throws if it is refused.
package func redirectTarget(
    of response: HTTPResponse, from url: URL
) throws(UpstreamError) -> URL? {
    guard [301, 302, 303, 307, 308].contains(response.status), let location = response.headers["Location"]
    else {
        return nil
    }
    guard location.utf8.count <= 8192,
        let resolved = URL(string: location, relativeTo: url)?.absoluteURL,
        var parts = URLComponents(url: resolved, resolvingAgainstBaseURL: true)
    else {
        throw refusal(url, to: nil, "but the Location is not a valid address")
    }
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    guard let target = parts.url, let to = HTTPOrigin(target) else {
        throw refusal(url, to: resolved, "which is not a valid http address")
    }
    guard HTTPOrigin(url)?.scheme == to.scheme else {
        let hint = to.scheme == "https" ? "if https:// is right, set it" : "TLS would be lost"
        throw refusal(url, to: target, "which changes the scheme; \(hint)")
    }
    return target
}

private func refusal(_ url: URL, to target: URL?, _ why: String) -> UpstreamError {
    let to = target.map { " to \($0.shown)" } ?? ""
    return UpstreamError(.redirect, "\(url.shown) redirects\(to), \(why)")
}

extension HTTPRequest {
    func redirected(to target: URL) -> HTTPRequest {
        var next = self
        next.url = target
        if HTTPOrigin(target) != HTTPOrigin(url) {
            let kept = ["Accept", "Cache-Control", "If-Modified-Since", "If-None-Match"]
            next.headers = HTTPHeaders(fields: headers.fields.filter { kept.contains(where: $0.isNamed) })
        }
        return next
    }
}
