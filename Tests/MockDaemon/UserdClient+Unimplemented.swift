@testable import UserdAPI

extension UserdClient {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> UserdClient {
        UserdClient(
            listUsers: { _ in throw Unimplemented("UserdClient.listUsers", report) },
            listAllUsers: { _ in throw Unimplemented("UserdClient.listAllUsers", report) },
            getUser: { _ in throw Unimplemented("UserdClient.getUser", report) },
            listManagers: { _ in throw Unimplemented("UserdClient.listManagers", report) },
            listReports: { _ in throw Unimplemented("UserdClient.listReports", report) },
            getPicture: { _ in throw Unimplemented("UserdClient.getPicture", report) },
            getPictureSoon: { _ in throw Unimplemented("UserdClient.getPictureSoon", report) },
            listFacts: { _ in throw Unimplemented("UserdClient.listFacts", report) },
            listAllFacts: { _ in throw Unimplemented("UserdClient.listAllFacts", report) },
            randomFact: { _ in throw Unimplemented("UserdClient.randomFact", report) },
            fetchFact: { throw Unimplemented("UserdClient.fetchFact", report) },
            getState: { throw Unimplemented("UserdClient.getState", report) },
            watch: { _ in throw Unimplemented("UserdClient.watch", report) },
            history: { _ in throw Unimplemented("UserdClient.history", report) },
            sync: { _ in throw Unimplemented("UserdClient.sync", report) },
            retry: { _ in throw Unimplemented("UserdClient.retry", report) },
            cancel: { _ in throw Unimplemented("UserdClient.cancel", report) },
            getSettings: { throw Unimplemented("UserdClient.getSettings", report) },
            getSurvey: { throw Unimplemented("UserdClient.getSurvey", report) },
            setPaused: { _ in throw Unimplemented("UserdClient.setPaused", report) },
            signIn: { _ in throw Unimplemented("UserdClient.signIn", report) },
            finishSignIn: { _ in throw Unimplemented("UserdClient.finishSignIn", report) },
            signOut: { _ in throw Unimplemented("UserdClient.signOut", report) })
    }
}
