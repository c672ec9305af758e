import FoundationEssentials
import Model

/// Decides where redirects may lead.
package struct RedirectRule: Sendable {
    /// Whether any host is allowed: a proxy connects to it, or a recording answers.
    package var isExempt: @Sendable (URL) -> Bool
    /// The addresses of a host name; none if they can't be found.
    package var lookUp: @Sendable (_ host: String) async -> [String]

    package init(
        isExempt: @escaping @Sendable (URL) -> Bool = { _ in false },
        lookUp: @escaping @Sendable (_ host: String) async -> [String] = { _ in [] }
    ) {
        self.isExempt = isExempt
        self.lookUp = lookUp
    }

    /// Whether the host is on this machine or in a private network. The client looks the name up once more:
    /// this guards against mistakes and sign-in pages, not against the owner of the name server.
    private func isInternal(_ origin: HTTPOrigin) async -> Bool {
        if origin.isInternal { return true }
        if origin.isAddress { return false }
        return await lookUp(origin.host).contains(where: HTTPOrigin.isInternal)
    }

    package func allows(_ target: URL, from url: URL) async -> Bool {
        let (from, to) = (HTTPOrigin(url), HTTPOrigin(target))
        if from.host == to.host || isExempt(target) { return true }
        guard await isInternal(to) else { return true }
        return await isInternal(from)
    }
}

extension HTTPTransport {
    /// Follows at most five redirects by userd's own rule.
    ///
    /// The scheme never changes; a person has to set an https address. Credentials never go to another origin. A host
    /// that is not internal cannot redirect to one that is; names count as what they resolve to. A request with a body
    /// is not redirected. Loops are refused. A refusal is an `UpstreamError` of kind `redirect`. A 304 is an answer.
    package func followingRedirects(_ rule: RedirectRule = RedirectRule()) -> HTTPTransport {
        HTTPTransport { request in
            var request = request
            var visited: Set<URL> = [request.url]
            while true {
                var response = try await send(request)
                let url = request.url
                guard let target = try redirectTarget(of: response, from: url) else {
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
private func redirectTarget(
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
    guard let target = parts.url, target.isHTTPAddress else {
        throw refusal(url, to: resolved, "which is not an http address")
    }
    let (from, to) = (HTTPOrigin(url), HTTPOrigin(target))
    guard from.scheme == to.scheme else {
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
