import Model

extension Failure {
    package static func turnedOff(_ resource: Resource) -> Failure {
        Failure(
            kind: .cancelled,
            message: "\(resource) are turned off: set \(resource).format, for example to catfact",
            retryable: false)
    }
}
