import Model

extension HTTPTransport {
    /// Gives each answer this long to come whole, whatever it is that takes time; then it is a `timeout`.
    package func within(
        _ deadline: Duration, clock: some Clock<Duration> = ContinuousClock()
    ) -> HTTPTransport {
        HTTPTransport { request in
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await send(request) }
                group.addTask {
                    try await clock.sleep(for: deadline)
                    throw UpstreamError(
                        .timeout, "\(request.url.shown) has not answered in full after \(deadline)")
                }
                guard let response = try await group.next() else { throw CancellationError() }
                return response
            }
        }
    }
}
