import Model

/// Clocks and randomness of signing in; tests have their own.
package struct SignInEnvironment: Sendable {
    /// The wall clock: tokens end by it, since their file outlives the process.
    package var now: @Sendable () -> Timestamp
    /// A clock that can't be set, from any origin.
    package var monotonic: @Sendable () -> Duration
    /// Throws `CancellationError` when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void
    /// Bytes that nobody can guess.
    package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// A connection to the redirect's address is closed after this time. Browsers open some that they do not use.
    package var connectionLimit = Duration.seconds(10)

    package init(
        now: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8] = { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in generator.next() }
        }
    ) {
        (self.now, self.monotonic, self.sleep) = (now, monotonic, sleep)
        self.randomBytes = randomBytes
    }

    /// 256 bits as text: state, nonce and verifier (RFC 7636, section 4.1).
    func secret() -> String { base64URL(randomBytes(32)) }
}
