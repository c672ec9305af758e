/// `PictureSize` of io.userd, largest first.
package enum PictureSize: String, Sendable, Codable, CaseIterable {
    case large, medium, thumbnail
}

extension User.Picture {
    package subscript(_ size: PictureSize) -> String? {
        switch size {
        case .large: large
        case .medium: medium
        case .thumbnail: thumbnail
        }
    }
}

/// A picture as upstream sent it.
package struct FetchedPicture: Hashable, Sendable {
    package var content: [UInt8]
    /// `image/…`, lower case, without parameters.
    package var contentType: String
    package var validators: Validators?

    package init(content: [UInt8], contentType: String, validators: Validators? = nil) {
        (self.content, self.contentType, self.validators) = (content, contentType, validators)
    }
}
