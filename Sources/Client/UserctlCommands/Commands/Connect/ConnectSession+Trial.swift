import Model
import Platform

extension ConnectSession {
    /// Wrong tokens lock no account.
    private static let tokenAttempts = 3

    /// Tries the settings as userd will use them, before they are written. Asks again for a secret that was refused. A sign-in
    /// can't be tried, and the demo needs not be.
    /// - Returns: the plan that works, and the number of users if the list tells it.
    func tried(_ plan: ConnectPlan) throws -> (ConnectPlan, total: Int?) {
        var plan = plan
        var attempts = 1
        while !plan.isSignIn, !plan.isDemo {
            console.say("trying it: userd asks for the first users, and writes nothing")
            switch try probes.trial(try candidate(plan), at: file.path, plan.secret) {
            case .found(let first, let total):
                let count = total.map { Resource.users.counted($0) } ?? "users"
                console.say("it works: \(count), such as \(first.joined(separator: "; "))")
                return (plan, total)
            case .failed(let reason, let isOfSecret):
                console.say(reason)
                if isOfSecret, dialog.canAsk, let kind = plan.secret?.kind ?? SecretKind(plan.text) {
                    try askAgain(kind, &plan, after: attempts)
                    attempts += 1
                    continue
                }
                try dialog.require("go on with it all the same?", usually: false)
                return (plan, nil)
            }
        }
        return (plan, nil)
    }

    private func askAgain(_ kind: SecretKind, _ plan: inout ConnectPlan, after attempts: Int) throws {
        let isEnough =
            kind.isPassword
            ? !dialog.agrees("more tries may lock the account; try another password?", usually: false)
            : attempts >= Self.tokenAttempts
        guard !isEnough, case .secret(let secret) = try dialog.secret(kind, plan.settings) else {
            throw ConnectDialog.declined
        }
        plan.secret = secret
        plan.settings.removeAll { $0.name == kind.setting }
        plan.settings.append(DiscoveredSetting(kind.setting, secret.path))
    }
}
