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
