import Model

/// Portraits, by the address that upstream gave for them. What goes wrong is thrown as an `UpstreamError`.
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
    /// Only where something was known.
    case unchanged
}
