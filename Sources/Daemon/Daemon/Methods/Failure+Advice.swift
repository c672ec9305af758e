import Model
import UserdAPI

extension Failure {
    /// The failure with general advice, unless it has its own.
    /// - Parameter setting: the one with the upstream's address.
    func advised(at step: UpstreamStep.Name, _ setting: String) -> Failure {
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
