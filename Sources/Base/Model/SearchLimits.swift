/// Limits of a search for users, as io.userd's `ListUsers` tells them.
package enum SearchLimits {
    package static let words = 16
    /// Matches beyond this number are not counted.
    package static let countedExactly = 10_000
}
