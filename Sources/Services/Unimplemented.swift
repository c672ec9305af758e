import Model

/// What an endpoint does that nobody has given anything to do: it reports its name, and fails.
package struct Unimplemented: Error, Hashable, CustomStringConvertible {
    package var endpoint: String
    package var description: String { "\(endpoint) is not implemented" }
}

/// Reports a call that was not expected. A test passes one that records an issue; without one the program stops.
package typealias ReportUnimplemented = @Sendable (Unimplemented) -> Void

private func unimplemented(_ endpoint: String, _ report: ReportUnimplemented) -> Unimplemented {
    let call = Unimplemented(endpoint: endpoint)
    report(call)
    return call
}

extension HTTPTransport {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> HTTPTransport {
        HTTPTransport { _ in throw Services.unimplemented("HTTPTransport.send", report) }
    }
}

extension UsersService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> UsersService {
        UsersService(fetchPage: { _ in throw Services.unimplemented("UsersService.fetchPage", report) })
    }
}

extension FactsService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> FactsService {
        FactsService(
            fetchPage: { _ in throw Services.unimplemented("FactsService.fetchPage", report) },
            fetchOne: { throw Services.unimplemented("FactsService.fetchOne", report) })
    }
}

extension PicturesService {
    package static func unimplemented(
        report: @escaping ReportUnimplemented = { preconditionFailure("\($0)") }
    ) -> PicturesService {
        PicturesService(fetch: { _, _ in throw Services.unimplemented("PicturesService.fetch", report) })
    }
}
