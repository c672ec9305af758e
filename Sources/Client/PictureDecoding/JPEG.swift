import CPictures
import TerminalViews

/// Decodes a JPEG. Any warning of libjpeg-turbo counts as damage, and so do thousands of scans, which would
/// take minutes to decode.
func decodedJPEG(_ file: [UInt8]) throws(PictureError) -> Bitmap {
    guard let decoder = tjInitDecompress() else { throw .damaged }
    defer { tjDestroy(decoder) }
    let length = UInt(file.count)
    var (width, height, subsampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
    guard tjDecompressHeader3(decoder, file, length, &width, &height, &subsampling, &colours) == 0 else {
        throw .damaged
    }
    try Bitmap.check(width: Int(width), height: Int(height))
    var pixels = [UInt8](repeating: 0, count: 4 * Int(width) * Int(height))
    let status = tjDecompress2(
        decoder, file, length, &pixels, width, 0, height, Int32(TJPF_RGBA.rawValue),
        TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS)
    guard status == 0 else { throw .damaged }
    return Bitmap(width: Int(width), height: Int(height), pixels: pixels)
}
