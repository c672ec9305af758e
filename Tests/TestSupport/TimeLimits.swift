import Foundation
import Testing

extension TimeLimitTrait.Duration {
    /// The limit for a test that hangs: so long that a busy machine does not exceed it. Sanitizers make
    /// programs ten times slower.
    package static var hang: Self { .minutes(isSanitized ? 150 : 15) }
}

/// Whether `make sanitize` runs the tests.
package let isSanitized = ProcessInfo.processInfo.environment["USERD_TEST_SANITIZED"] != nil
