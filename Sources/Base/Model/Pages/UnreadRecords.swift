/// Records that are left out although no condition of the format says so.
package struct UnreadRecords: Hashable, Sendable {
    /// Number of records that can't be told apart, such as those without an id. They are not in `leftOut`.
    package var unidentified = 0
    /// The first of them, and what is wrong with it; for people.
    package var reason: String?
    /// The setting that may be wrong for it.
    package var setting: String?
    /// Number of records with neither a name nor an email address, which are also in `leftOut`.
    package var nameless = 0

    /// Texts that are left out because they are too long, for people: `family of record 3`.
    package var tooLong: [String] = []

    package init(nameless: Int = 0) { self.nameless = nameless }

    package mutating func add(unidentified reason: String, setting: String? = nil) {
        unidentified += 1
        if self.reason == nil { (self.reason, self.setting) = (reason, setting) }
    }

    /// The error if most records can't be told apart, or all lack a name; nil for a list of users.
    /// - Parameter distinct: number of different records in it, with those left out.
    package func refusal(distinct: Int) -> UpstreamError? {
        if unidentified > distinct, let reason {
            return UpstreamError(
                .decode,
                "\(unidentified) of \(unidentified + distinct) records can't be told apart: \(reason)",
                advice: .check, about: setting)
        }
        guard nameless > 0, nameless == distinct else { return nil }
        return UpstreamError(
            .decode, "all \(distinct) users are left out: they have neither a name nor an address",
            advice: .check, about: "users.fields")
    }

    package static func + (a: UnreadRecords, b: UnreadRecords) -> UnreadRecords {
        var sum = a
        sum.unidentified += b.unidentified
        if a.reason == nil { (sum.reason, sum.setting) = (b.reason, b.setting) }
        sum.nameless += b.nameless
        sum.tooLong += b.tooLong
        return sum
    }
}
