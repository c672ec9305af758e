extension Fault {
    /// Reads a fault from the command line, such as `status,status=503,retry_after=120,path=/api,times=2`.
    package init(text: String) throws(DemoError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let pairs = parts.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let fields = Dictionary(pairs.map { ($0[0], $0.count > 1 ? $0[1] : "") }) { $1 }
        guard let kind = Kind(String(parts[0]), fields), fields["path"]?.hasPrefix("/") != false else {
            throw DemoError(
                description: "\(text) is not a fault; they are \(Kind.names.joined(separator: ", "))")
        }
        self.init(
            kind, path: fields["path"], times: fields["times"].flatMap { Int($0) },
            after: fields["after"].flatMap { Int($0) })
    }
}

extension Fault.Kind {
    fileprivate init?(_ name: String, _ fields: [String: String]) {
        func number(_ key: String) -> Int? { fields[key].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        switch name {
        case "delay": self = .delay(milliseconds: number("milliseconds") ?? 1000)
        case "status":
            self = .status(number("status") ?? 500, retryAfter: fields["retry_after"], body: fields["body"])
        case "slow": self = .slow(bytesPerSecond: number("bytes_per_second") ?? 100)
        case "beyond": self = .beyond(status: number("status") ?? 0)
        case "redirect":
            self = .redirect(location: fields["location"] ?? "/", status: number("status") ?? 302)
        default:
            guard let kind = Self.kinds.first(where: { $0.key == name })?.value else { return nil }
            self = kind
        }
    }

    private static let kinds: KeyValuePairs<String, Fault.Kind> = [
        "stall": .stall, "truncate": .truncate, "reset": .reset, "html": .rubbish(.html),
        "bytes": .rubbish(.bytes), "empty": .empty, "gzip": .gzip, "gzip_bomb": .gzipBomb, "etag": .etag,
        "last_modified": .lastModified, "down": .down, "endless": .endless,
        "last_page_grows": .lastPageGrows, "ignores_page": .ignoresPage, "short_page": .shortPage,
        "large_total": .largeTotal, "error": .errorBody(.documented), "rate_limit": .errorBody(.rateLimit),
        "error_after_records": .errorBody(.afterRecords),
    ]

    fileprivate static let names = ["delay", "status", "slow", "beyond", "redirect"] + kinds.map(\.key)
}
