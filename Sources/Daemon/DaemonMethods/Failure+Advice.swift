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
        let kind: Advice.Kind =
            switch step {
            case .lookup: .checkNetwork
            case .connection: .checkHost
            case .tls: .checkCertificate
            case .answer: adviceOnAnswer(setting)
            }
        var failure = self
        failure.advice = Advice(kind, about: setting)
        return failure
    }

    private func adviceOnAnswer(_ setting: String) -> Advice.Kind {
        switch (kind, httpStatus) {
        case (_, 401?), (_, 403?): setting == "users.url" ? .checkToken : .checkTokenOrigin
        case (.rateLimited, _): .wait
        case (_, let status?) where status >= 500: .waitForOperator
        case (.redirect, _), (_, _?): .checkAddress
        case (.timeout, _): .allowMoreTime
        case (.credentials, _): .checkSecrets
        case (.ldap, _): .checkLogin
        case (.decode, _): .checkUpstream
        default: .tryAgain
        }
    }
}
