import Model

extension FetchedPicture {
    /// The picture at a sample's address; nil if there is none.
    package static func sample(at url: String) -> FetchedPicture? {
        guard url.hasPrefix(User.Picture.sampleHost), !url.contains("/missing/") else { return nil }
        return PictureSize.allCases.first { url.hasSuffix(".\($0.rawValue).png") }.map(sample)
    }

    package static func sample(_ size: PictureSize) -> FetchedPicture {
        let content =
            switch size {
            case .large: PackageResources.large_png
            case .medium: PackageResources.medium_png
            case .thumbnail: PackageResources.thumbnail_png
            }
        return FetchedPicture(content: content, contentType: "image/png")
    }
}
