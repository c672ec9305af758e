import TerminalViews

enum PictureError: Error, Hashable {
    /// Neither JPEG nor PNG.
    case otherFormat
    /// More than `Bitmap.maximumPixels`.
    case tooLarge(width: Int, height: Int)
    case damaged
}

extension Bitmap {
    /// Larger pictures are refused before memory is allocated. This many pixels take 64 MiB.
    static let maximumPixels = 1 << 24

    /// Decodes an untrusted JPEG or PNG file; its first bytes tell which.
    init(file: [UInt8]) throws(PictureError) {
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
        // Each factor is checked first, so that the product can't overflow.
        guard width <= maximumPixels, height <= maximumPixels, width * height <= maximumPixels else {
            throw .tooLarge(width: width, height: height)
        }
    }
}
