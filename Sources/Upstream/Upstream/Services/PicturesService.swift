import Model

/// Portraits by their addresses. Failures are thrown as `UpstreamError`.
package struct PicturesService: Sendable {
    /// Fetches a picture, or finds that the `known` one is current.
    package var fetch: @Sendable (_ url: String, _ known: Validators?) async throws -> PictureAnswer

    package init(
        fetch: @escaping @Sendable (_ url: String, _ known: Validators?) async throws -> PictureAnswer
    ) {
        self.fetch = fetch
    }
}

package enum PictureAnswer: Hashable, Sendable {
    case picture(FetchedPicture)
    /// The known picture is current.
    case unchanged
    case absent
}
