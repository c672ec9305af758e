import Model

extension Failure {
    /// The failure of a request for a resource that the settings turn off.
    package static func turnedOff(_ resource: Resource) -> Failure {
        Failure(
            kind: .cancelled,
            message: "\(resource) are turned off: set \(resource).format, for example to catfact",
            retryable: false)
    }
}
