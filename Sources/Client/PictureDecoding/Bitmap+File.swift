import TerminalViews

/// Why a file is not decoded.
package enum PictureError: Error, Hashable {
    /// It is neither JPEG nor PNG.
    case otherFormat
    /// It has more pixels than anybody would look at.
    case tooLarge(width: Int, height: Int)
    case damaged
}

extension Bitmap {
    /// Larger ones are refused before there is memory for them. This much takes 64 MiB.
    package static let maximumPixels = 1 << 24

    /// Decodes a JPEG or PNG file, which it knows by how it begins. Nothing of it is trusted.
    package init(file: [UInt8]) throws(PictureError) {
        self =
            if file.starts(with: [0xFF, 0xD8, 0xFF]) {
                try decodedJPEG(file)
            } else if file.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
                try decodedPNG(file)
            } else {
                throw .otherFormat
            }
    }

    static func check(width: Int, height: Int) throws(PictureError) {
        guard width > 0, height > 0 else { throw .damaged }
        // Of factors that are themselves small enough, the product can't overflow.
        guard width <= maximumPixels, height <= maximumPixels, width * height <= maximumPixels else {
            throw .tooLarge(width: width, height: height)
        }
    }
}
