/// The current faults.
struct FaultTable {
    private(set) var faults: [Fault] = []

    mutating func set(_ faults: [Fault]) throws(ControlError) {
        guard faults.count <= Self.limit else { throw ControlError("fault: at most \(Self.limit) at a time") }
        self.faults = faults
    }

    var isDown: Bool { faults.contains { $0.kind == .down } }

    mutating func setDown(_ isDown: Bool) {
        faults.removeAll { $0.kind == .down }
        if isDown { faults.append(Fault(.down)) }
    }

    /// The faults for a request at this path, without those that let it pass. Of faults that exclude each other the first applies; the others wait
    /// until its times are used up, so a list is a sequence.
    mutating func take(for path: String) -> FaultEffects {
        var effects = FaultEffects()
        for index in faults.indices where isWithin(path, faults[index].path) {
            if let after = faults[index].after, after > 0 {
                faults[index].after = after - 1
                continue
            }
            if effects.accept(faults[index].kind), let times = faults[index].times {
                faults[index].times = times - 1
            }
        }
        faults.removeAll { $0.times == 0 }
        return effects
    }

    private static let limit = 100
}

/// Whether a path equals `scope` or is below it: `/api/1.4` is within `/api`, `/facts` is not within `/fact`.
func isWithin(_ path: String, _ scope: String?) -> Bool {
    guard var scope else { return true }
    while scope.hasSuffix("/") { scope.removeLast() }
    return path == scope || path.hasPrefix(scope + "/")
}

/// The faults of one request.
struct FaultEffects {
    /// Replaces the normal answer.
    private(set) var outcome: Fault.Kind?
    private(set) var milliseconds: Int?
    private(set) var bytesPerSecond: Int?
    private(set) var gzips = false
    private(set) var hasETag = false
    private(set) var hasLastModified = false
    private(set) var lastPageGrows = false
    private(set) var ignoresPage = false
    private(set) var isShort = false
    private(set) var hasLargeTotal = false

    /// What a list of users ends with after half of its records.
    var cutOff: String? {
        if case .errorBody(.afterRecords) = outcome { Fault.ErrorBody.afterRecords.json } else { nil }
    }

    /// False if an earlier fault excludes this one.
    mutating func accept(_ kind: Fault.Kind) -> Bool {
        switch kind {
        case .delay(let milliseconds): Self.fill(&self.milliseconds, milliseconds)
        case .slow(let rate): Self.fill(&bytesPerSecond, rate)
        case .gzip: Self.turnOn(&gzips)
        case .etag: Self.turnOn(&hasETag)
        case .lastModified: Self.turnOn(&hasLastModified)
        case .lastPageGrows: Self.turnOn(&lastPageGrows)
        case .ignoresPage: Self.turnOn(&ignoresPage)
        case .shortPage: Self.turnOn(&isShort)
        case .largeTotal: Self.turnOn(&hasLargeTotal)
        case .down: false
        case .stall, .status, .truncate, .reset, .rubbish, .empty, .gzipBomb, .errorBody, .redirect, .endless:
            Self.fill(&outcome, kind)
        }
    }

    private static func fill<Value>(_ place: inout Value?, _ value: Value) -> Bool {
        guard place == nil else { return false }
        place = value
        return true
    }

    private static func turnOn(_ place: inout Bool) -> Bool {
        defer { place = true }
        return !place
    }
}
