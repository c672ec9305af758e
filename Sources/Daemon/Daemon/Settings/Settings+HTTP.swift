extension Settings {
    struct HTTP: Sendable {
        var connectTimeout = Duration.seconds(10)
        var deadline = Duration.seconds(60)
        var maxResponseBytes = 64 << 20
        var proxy: String?
        var noProxy: String?
        var caFile: String?
    }

    struct Retry: Sendable {
        var base = Duration.seconds(1)
        var cap = Duration.seconds(900)
    }
}

extension Setting {
    static let http: [Setting] = [
        Setting(
            "http.connect_timeout", \.http.connectTimeout, .timeout,
            "The time limit for connecting to an upstream"),
        Setting("http.deadline", \.http.deadline, .timeout, "The time limit for a whole request"),
        Setting(
            "http.max_response_bytes", \.http.maxResponseBytes, .bytes(1...1 << 30),
            "The largest response to read"),
        Setting(
            "http.proxy", \.http.proxy, .proxy,
            default: "$HTTPS_PROXY, $HTTP_PROXY or $ALL_PROXY, except for upstreams on this machine",
            "The proxy for requests to upstreams"),
        Setting(
            "http.no_proxy", \.http.noProxy, .hosts, default: "$NO_PROXY",
            "Hosts to reach without the proxy, with their subdomains"),
        Setting(
            "http.ca_file", \.http.caFile, .optionalPath,
            "A PEM file of certificate authorities to trust in addition to the system's"),
        Setting("retry.base", \.retry.base, .timeout, "The wait after the first failure"),
        Setting("retry.cap", \.retry.cap, .timeout, "The longest wait after a failure"),
    ]
}
