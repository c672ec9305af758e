extension Fault {
    /// Reads a fault of the command line, such as `status,status=503,retry_after=120,path=/api,times=2`.
    package init(text: String) throws(DemoError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let pairs = parts.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        guard pairs.allSatisfy({ $0.count == 2 }) else {
            throw DemoError("fault: \(text) is not NAME,KEY=VALUE,…")
        }
        let given = Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 }
        var fields = Fields(name: String(parts[0]), values: given)
        kind = try fields.kind()
        path = fields.take("path")
        times = try fields.number("times", 1...1_000_000)
        after = try fields.number("after", 0...1_000_000)
        if let unknown = fields.values.keys.min() {
            throw DemoError("fault: \(fields.name) has no field \(unknown)")
        }
        if path?.hasPrefix("/") == false { throw DemoError("fault: path must begin with a slash") }
    }

    /// Takes fields one by one; what is left over is unknown.
    private struct Fields {
        let name: String
        var values: [String: String]

        mutating func kind() throws(DemoError) -> Kind {
            switch name {
            case "delay": return .delay(milliseconds: try required("milliseconds", 0...3_600_000))
            case "status":
                let status = try required("status", 200...599)
                return .status(status, retryAfter: take("retry_after"), body: take("body"))
            case "slow": return .slow(bytesPerSecond: try required("bytes_per_second", 1...1_000_000_000))
            case "redirect":
                let status = try number("status", 300...399) ?? 302
                return .redirect(location: take("location") ?? "/", status: status)
            default:
                let kind = take("what").map { "\(name),what=\($0)" } ?? name
                if let kind = Self.kinds.first(where: { $0.key == kind }) { return kind.value }
                let names = ["delay", "status", "slow", "redirect"] + Self.kinds.map(\.key)
                throw DemoError(
                    "fault: unknown name \(kind); the faults are \(names.joined(separator: "; "))")
            }
        }

        mutating func take(_ key: String) -> String? { values.removeValue(forKey: key) }

        mutating func number(_ key: String, _ range: ClosedRange<Int>) throws(DemoError) -> Int? {
            guard let text = take(key) else { return nil }
            guard let number = Int(text), range.contains(number) else {
                throw DemoError(
                    "fault: \(key) must be a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }

        private mutating func required(_ key: String, _ range: ClosedRange<Int>) throws(DemoError) -> Int {
            guard let number = try number(key, range) else { throw DemoError("fault: \(name) needs \(key)") }
            return number
        }

        private static let kinds: KeyValuePairs<String, Kind> = [
            "stall": .stall, "truncate": .truncate, "reset": .reset, "empty": .empty, "gzip": .gzip,
            "gzip_bomb": .gzipBomb, "etag": .etag, "last_modified": .lastModified, "down": .down,
            "endless": .endless, "last_page_grows": .lastPageGrows, "ignores_page": .ignoresPage,
            "short_page": .shortPage, "large_total": .largeTotal, "rubbish,what=html": .rubbish(.html),
            "rubbish,what=bytes": .rubbish(.bytes), "error_body,what=documented": .errorBody(.documented),
            "error_body,what=rate_limit": .errorBody(.rateLimit),
            "error_body,what=after_records": .errorBody(.afterRecords),
        ]
    }
}
