import HTTPClient

extension SettingsLoader {
    /// Takes the proxy of the setting, else those of the environment. One of the environment that can't be used fails
    /// only the requests that would use it, because the variable may be meant for other programs.
    func takeProxies(_ settings: inout Settings) {
        let http = settings.http
        settings.proxies = Proxies(
            always: http.proxy.flatMap(ProxyAddress.init),
            exceptions: http.noProxy ?? variable("no_proxy")?.text ?? "")
        guard http.proxy == nil, !settings.hasStandIn else { return }
        for (scheme, proxy) in [("https", \Proxies.https), ("http", \Proxies.http)] {
            guard let (name, text) = variable("\(scheme)_proxy") ?? variable("all_proxy"), !text.isEmpty
            else { continue }
            do throws(InvalidValue) {
                let address = text.contains("://") ? text : "http://" + text
                try checkProxy(address)
                settings.proxies[keyPath: proxy] = ProxyAddress(address)
            } catch {
                settings.proxies.faults[scheme] =
                    "\(name) \(error.problem); set another with http.proxy, or unset the variable"
            }
        }
    }

    /// The lower-case variable overrides the upper-case one, even with an empty value, which means no proxy.
    private func variable(_ name: String) -> (name: String, text: String)? {
        [name, name.uppercased()].lazy.compactMap { name in environment[name].map { (name, $0) } }.first
    }
}
