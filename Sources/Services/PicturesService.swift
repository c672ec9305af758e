import Model

/// Portraits, by the address that upstream gave for them. What goes wrong is thrown as an `UpstreamError`.
package struct PicturesService: Sendable {
    package var fetch: @Sendable (_ url: String) async throws -> FetchedPicture

    package init(fetch: @escaping @Sendable (_ url: String) async throws -> FetchedPicture) {
        self.fetch = fetch
    }
}

package struct FetchedPicture: Hashable, Sendable {
    package var content: [UInt8]
    package var contentType: String

    package init(content: [UInt8], contentType: String) {
        self.content = content
        self.contentType = contentType
    }
}
