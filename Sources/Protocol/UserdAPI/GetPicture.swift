import Model

extension UserdMethod where Parameters == GetPicture, Output == PictureReply {
    package static var getPicture: Self { .init(name: "GetPicture") }
}

package struct GetPicture: Hashable, Sendable, Codable {
    package var key: String
    package var size: PictureSize?

    package init(key: String, size: PictureSize? = nil) {
        self.key = key
        self.size = size
    }
}

package struct PictureReply: Hashable, Sendable, Codable {
    /// Base64.
    package var content: String
    package var contentType: String
    package var placeholder: Bool

    package init(content: String, contentType: String, placeholder: Bool) {
        self.content = content
        self.contentType = contentType
        self.placeholder = placeholder
    }

    enum CodingKeys: String, CodingKey {
        case content
        case contentType = "content_type"
        case placeholder
    }
}
