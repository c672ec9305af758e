/// The proxies that the environment names, by the scheme of a request.
package struct ProxyVariables: Sendable, Hashable {
    package enum Proxy: Sendable, Hashable {
        case address(String)
        /// The message of requests that would use the proxy. Other requests go on, because the variable may be meant for
        /// other programs.
        case unusable(String)
    }

    package private(set) var https: Proxy?
    package private(set) var http: Proxy?
    package private(set) var noProxy: String?

    init() {}

    init(noProxyOf environment: [String: String]) {
        noProxy = Self.variable("no_proxy", in: environment)?.text
    }

    init(_ environment: [String: String]) {
        https = Self.proxy("https_proxy", in: environment)
        http = Self.proxy("http_proxy", in: environment)
        noProxy = Self.variable("no_proxy", in: environment)?.text
    }

    private static func proxy(_ name: String, in environment: [String: String]) -> Proxy? {
        guard let (name, text) = variable(name, in: environment) ?? variable("all_proxy", in: environment),
            !text.isEmpty
        else { return nil }
        do throws(InvalidValue) {
            let address = text.contains("://") ? text : "http://" + text
            try checkProxy(address)
            return .address(address)
        } catch {
            return .unusable("\(name) \(error.problem); set another with http.proxy, or unset the variable")
        }
    }

    /// The lower-case variable overrides the upper-case one, even with an empty value, which means no proxy.
    private static func variable(
        _ name: String, in environment: [String: String]
    ) -> (name: String, text: String)? {
        [name, name.uppercased()].lazy.compactMap { name in environment[name].map { (name, $0) } }.first
    }
}
