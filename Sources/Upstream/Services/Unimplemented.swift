import Model

extension HTTPTransport {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> HTTPTransport {
        HTTPTransport { _ in throw Unimplemented("HTTPTransport.send", report) }
    }
}

extension UsersService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> UsersService {
        UsersService(fetchPage: { _ in throw Unimplemented("UsersService.fetchPage", report) })
    }
}

extension FactsService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> FactsService {
        FactsService(
            fetchPage: { _ in throw Unimplemented("FactsService.fetchPage", report) },
            fetchOne: { throw Unimplemented("FactsService.fetchOne", report) })
    }
}

extension PicturesService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> PicturesService {
        PicturesService(fetch: { _, _ in throw Unimplemented("PicturesService.fetch", report) })
    }
}
