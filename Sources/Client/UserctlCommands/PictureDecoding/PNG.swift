import CPictures
import TerminalViews

func decodedPNG(_ file: [UInt8]) throws(PictureError) -> Bitmap {
    var image = png_image()
    image.version = cpictures_png_version()
    defer { png_image_free(&image) }
    // libpng keeps a pointer to these bytes until it has decoded them.
    return try file.withUnsafeBufferPointer { (bytes) throws(PictureError) -> Bitmap in
        guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
            throw PictureError.damaged
        }
        let (width, height) = (Int(image.width), Int(image.height))
        try Bitmap.check(width: width, height: height)
        image.format = cpictures_png_rgba()
        var pixels = [UInt8](repeating: 0, count: 4 * width * height)
        guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 else { throw PictureError.damaged }
        return Bitmap(width: width, height: height, pixels: pixels)
    }
}
