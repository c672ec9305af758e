/// A picture as upstream gave it.
package struct FetchedPicture: Hashable, Sendable {
    package var content: [UInt8]
    /// `image/…`, in lower case and without parameters.
    package var contentType: String
    /// Nil where upstream does not tell one version from another.
    package var validators: Validators?

    package init(content: [UInt8], contentType: String, validators: Validators? = nil) {
        self.content = content
        self.contentType = contentType
        self.validators = validators
    }
}
