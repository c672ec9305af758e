import Model

/// Portraits by their addresses. Failures are thrown as `UpstreamError`.
package struct PicturesService: Sendable {
    /// Fetches a picture, or learns that it is still the one that is `known`.
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
    /// There is none.
    case absent
}
