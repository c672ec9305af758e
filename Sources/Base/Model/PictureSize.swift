/// The names of io.userd's `PictureSize`, largest first.
package enum PictureSize: String, Sendable, Codable, CaseIterable {
    case large, medium, thumbnail
}

extension User.Picture {
    /// The address of the picture of that size.
    package subscript(_ size: PictureSize) -> String? {
        switch size {
        case .large: large
        case .medium: medium
        case .thumbnail: thumbnail
        }
    }
}
