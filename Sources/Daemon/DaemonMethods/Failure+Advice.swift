import Model
import UserdAPI

extension Failure {
    /// Whether upstream, or the endpoint that issues tokens, refused the secret or what it gives access to.
    package var isRefusal: Bool {
        httpStatus == 401 || httpStatus == 403
            || [.checkPassword, .checkClientSecret].contains(advice?.kind)
    }

    /// The failure with general advice, unless it has its own.
    /// - Parameter setting: the one with the upstream's address.
    package func advised(at step: UpstreamStep.Name, _ setting: String) -> Failure {
        guard advice == nil else { return self }
        var failure = self
        failure.advice =
            switch step {
            case .lookup: Advice(.checkNetwork, about: setting)
            case .connection: Advice(.checkHost, about: setting)
            case .tls: Advice(.checkCertificate, about: setting)
            case .answer: adviceOnAnswer(from: setting)
            }
        return failure
    }
}
