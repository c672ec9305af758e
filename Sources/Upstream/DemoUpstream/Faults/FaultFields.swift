/// The text form of a fault, as JSON, `{"fault": "status", "status": 503, "retry_after": "120", "path": "/api",
/// "times": 2}`, or short for a command line, `status,status=503,retry_after=120,path=/api,times=2`.
package struct FaultFields {
    private(set) var values: [String: String]

    init(values: [String: String]) {
        self.values = values
    }

    package init(short: String) throws(ControlError) {
        var values: [String: String] = [:]
        for (index, part) in short.split(separator: ",", omittingEmptySubsequences: false).enumerated() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            switch (index, pair.count) {
            case (0, 1): values["fault"] = pair[0]
            case (_, 2): values[pair[0]] = pair[1]
            default: throw ControlError("fault: \(part) is not of the form key=value")
            }
        }
        self.init(values: values)
    }

    package func fault() throws(ControlError) -> Fault {
        var reader = Reader(values: values)
        let kind = try reader.kind()
        let fault = Fault(
            kind, path: reader.take("path"), times: try reader.number("times", 1...1_000_000),
            after: try reader.number("after", 0...1_000_000))
        if let unknown = reader.values.keys.sorted().first {
            throw ControlError("fault: \(reader.name) has no field \(unknown)")
        }
        if let path = fault.path, !path.hasPrefix("/") {
            throw ControlError("fault: path must begin with a slash, not be \(path)")
        }
        if kind == .down, fault.path != nil || fault.times != nil || fault.after != nil {
            throw ControlError("fault: down has neither path, times nor after")
        }
        return fault
    }

    package init(_ fault: Fault) {
        var values: [String: String] = [:]
        switch fault.kind {
        case .delay(let milliseconds): values = ["fault": "delay", "milliseconds": String(milliseconds)]
        case .status(let status, let retryAfter, let body):
            values = ["fault": "status", "status": String(status)]
            values["retry_after"] = retryAfter
            values["body"] = body
        case .rubbish(let rubbish): values = ["fault": "rubbish", "what": rubbish.rawValue]
        case .errorBody(let body): values = ["fault": "error_body", "what": body.rawValue]
        case .slow(let rate): values = ["fault": "slow", "bytes_per_second": String(rate)]
        case .redirect(let location, let status):
            values = ["fault": "redirect", "location": location, "status": String(status)]
        case .stall, .truncate, .reset, .empty, .gzip, .gzipBomb, .etag, .lastModified, .down, .endless,
            .lastPageGrows, .ignoresPage, .shortPage, .largeTotal:
            values["fault"] = kindsWithoutFields.first { $0.value == fault.kind }?.key
        }
        values["path"] = fault.path
        values["times"] = fault.times.map(String.init)
        values["after"] = fault.after.map(String.init)
        self.init(values: values)
    }
}

private let kindsWithoutFields: [String: Fault.Kind] = [
    "stall": .stall, "truncate": .truncate, "reset": .reset, "empty": .empty, "gzip": .gzip,
    "gzip_bomb": .gzipBomb, "etag": .etag, "last_modified": .lastModified, "down": .down,
    "endless": .endless, "last_page_grows": .lastPageGrows, "ignores_page": .ignoresPage,
    "short_page": .shortPage, "large_total": .largeTotal,
]

/// Takes fields one by one; what is left over is unknown.
private struct Reader {
    var values: [String: String]
    var name = ""

    init(values: [String: String]) {
        self.values = values
    }

    mutating func take(_ key: String) -> String? { values.removeValue(forKey: key) }

    mutating func kind() throws(ControlError) -> Fault.Kind {
        name = take("fault") ?? ""
        if let kind = kindsWithoutFields[name] { return kind }
        switch name {
        case "delay": return .delay(milliseconds: try required("milliseconds", 0...3_600_000))
        case "status":
            let status = try required("status", 200...599)
            return .status(status, retryAfter: try header("retry_after"), body: take("body"))
        case "rubbish": return .rubbish(try choice("what", default: .html))
        case "error_body": return .errorBody(try choice("what", default: .documented))
        case "slow": return .slow(bytesPerSecond: try required("bytes_per_second", 1...1_000_000_000))
        case "redirect":
            guard let location = try header("location") else {
                throw ControlError("fault: redirect needs a location")
            }
            return .redirect(location: location, status: try number("status", 300...399) ?? 302)
        default:
            throw ControlError("fault: unknown name \(name); the faults are \(Self.names)")
        }
    }

    mutating func number(_ key: String, _ range: ClosedRange<Int>) throws(ControlError) -> Int? {
        guard let text = take(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw ControlError(
                "fault: \(key) must be a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }

    private mutating func header(_ key: String) throws(ControlError) -> String? {
        guard let text = take(key) else { return nil }
        guard !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw ControlError("fault: \(key) is sent as a header and must not contain control characters")
        }
        return text
    }

    private mutating func required(_ key: String, _ range: ClosedRange<Int>) throws(ControlError) -> Int {
        guard let number = try number(key, range) else {
            throw ControlError("fault: \(name) needs \(key), a number")
        }
        return number
    }

    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, default fallback: Choice
    ) throws(ControlError) -> Choice {
        guard let text = take(key) else { return fallback }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: " or ")
            throw ControlError("fault: \(key) must be \(choices), not \(text)")
        }
        return choice
    }

    private static let names = """
        delay, stall, status, truncate, reset, rubbish, empty, gzip, gzip_bomb, etag, last_modified, down, error_body, \
        slow, redirect, endless, last_page_grows, ignores_page, short_page, large_total
        """
}
