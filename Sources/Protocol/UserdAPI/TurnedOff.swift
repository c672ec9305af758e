import Model

extension Failure {
    package static func turnedOff(_ resource: Resource) -> Failure {
        Failure(
            kind: .cancelled,
            message: "\(resource) are turned off: set \(resource).format, for example to catfact",
            retryable: false)
    }

    /// Answers whoever asks for a sync while no directory is named.
    package static let notConnected = Failure(
        kind: .cancelled,
        message: """
            not connected: `userctl connect example.org`, or `userctl connect demo` for twenty made-up users and cat facts
            """,
        retryable: false)
}
