import Foundation
import Testing

extension TimeLimitTrait.Duration {
    /// For a test that hangs. A busy machine is no reason to fail, and a sanitizer makes programs ten times slower.
    package static var hang: Self { .minutes(isSanitized ? 150 : 15) }
}

/// Whether `make sanitize` runs the tests.
package let isSanitized = ProcessInfo.processInfo.environment["USERD_TEST_SANITIZED"] != nil
