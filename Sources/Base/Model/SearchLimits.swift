/// Limits of a search for users, as io.userd documents them for `ListUsers`.
package enum SearchLimits {
    package static let words = 16
    /// Matches beyond this number are not counted.
    package static let countedExactly = 10_000
}
