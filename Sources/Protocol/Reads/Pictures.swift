import FoundationEssentials
import Model
import UserdAPI

extension PictureReply {
    /// - Parameter picture: nil for the placeholder, a grey silhouette.
    package init(_ picture: FetchedPicture?) {
        self.init(
            content: Data(picture?.content ?? PackageResources.placeholder_png).base64EncodedString(),
            contentType: picture?.contentType ?? "image/png", placeholder: picture == nil)
    }
}
