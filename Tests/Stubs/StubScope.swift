import Synchronization
import Testing

/// The stubs of one test.
final class StubScope: Sendable {
    @TaskLocal static var current: StubScope?

    private let checks = Mutex<[@Sendable () -> Void]>([])

    func add(_ check: @escaping @Sendable () -> Void) { checks.withLock { $0.append(check) } }

    func verify() { for check in checks.withLock({ $0 }) { check() } }
}

/// Runs a body that uses stubs. Fails for unused answers, unless the body throws.
package func withStubs(_ body: () async throws -> Void) async throws {
    let scope = StubScope()
    try await StubScope.$current.withValue(scope) { try await body() }
    scope.verify()
}

/// Lets a test, or the tests of a suite, use stubs.
package struct StubsTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for _: Test, testCase _: Test.Case?, performing test: @Sendable () async throws -> Void
    ) async throws {
        try await withStubs(test)
    }
}

extension Trait where Self == StubsTrait {
    package static var stubs: StubsTrait { StubsTrait() }
}
