import CPictures
import TerminalViews

/// Decodes a JPEG. Thousands of scans, which would take minutes to decode, count as damage. Warnings of libjpeg-turbo don't:
/// the files of some cameras cause them.
func decodedJPEG(_ file: [UInt8]) throws(PictureError) -> Bitmap {
    guard let decoder = tjInitDecompress() else { throw .damaged }
    defer { tjDestroy(decoder) }
    let (width, height, isCMYK) = try header(file, decoder)
    var pixels = [UInt8](repeating: 0, count: 4 * Int(width) * Int(height))
    let format = isCMYK ? TJPF_CMYK : TJPF_RGBA
    let status = tjDecompress2(
        decoder, file, UInt(file.count), &pixels, width, 0, height, format.rawValue, TJFLAG_LIMITSCANS)
    // The rest of the picture is empty after an error, which libjpeg-turbo calls a warning if there was one before.
    guard decoder.hasSucceeded(status), isCMYK || pixels.last == 255 else { throw .damaged }
    if isCMYK {
        for start in stride(from: 0, to: pixels.count, by: 4) {
            // Inverted, as Adobe's programs write it: 255 is no ink.
            let key = Int(pixels[start + 3])
            for ink in start..<start + 3 { pixels[ink] = UInt8(Int(pixels[ink]) * key / 255) }
            pixels[start + 3] = 255
        }
    }
    return Bitmap(width: Int(width), height: Int(height), pixels: pixels)
}

/// The file; a JPEG that its EXIF data calls turned or mirrored is turned, and loses that data and up to 15 pixels at two edges.
func upright(_ file: [UInt8]) throws(PictureError) -> [UInt8] {
    let operations = [
        TJXOP_HFLIP, TJXOP_ROT180, TJXOP_VFLIP, TJXOP_TRANSPOSE, TJXOP_ROT90, TJXOP_TRANSVERSE, TJXOP_ROT270,
    ]
    guard file.starts(with: [0xFF, 0xD8]), let orientation = orientation(of: file), 2...8 ~= orientation,
        let transformer = tjInitTransform()
    else { return file }
    defer { tjDestroy(transformer) }
    _ = try header(file, transformer)
    var transform = tjtransform()
    transform.op = Int32(operations[orientation - 2].rawValue)
    transform.options = TJXOPT_COPYNONE | TJXOPT_TRIM
    var (bytes, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
    defer { tjFree(bytes) }
    let status = tjTransform(
        transformer, file, UInt(file.count), 1, &bytes, &count, &transform, TJFLAG_LIMITSCANS)
    guard transformer.hasSucceeded(status), count > 0 else { throw .damaged }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
}

private func header(
    _ file: [UInt8], _ decoder: tjhandle
) throws(PictureError) -> (width: Int32, height: Int32, isCMYK: Bool) {
    var (width, height, subsampling, colours) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let status = tjDecompressHeader3(
        decoder, file, UInt(file.count), &width, &height, &subsampling, &colours)
    // After a warning, an unknown colour space (-1) is an error that libjpeg-turbo calls a warning.
    guard decoder.hasSucceeded(status), colours >= 0 else { throw .damaged }
    try Bitmap.check(width: Int(width), height: Int(height))
    return (width, height, [TJCS_CMYK.rawValue, TJCS_YCCK.rawValue].contains(.init(colours)))
}

extension tjhandle {
    /// Whether there was no error in the last call, but perhaps a warning.
    fileprivate func hasSucceeded(_ status: Int32) -> Bool {
        status == 0 || tjGetErrorCode(self) == TJERR_WARNING.rawValue
    }
}

/// The orientation in the EXIF data: a TIFF file in a segment before the picture (CIPA DC-008, sections 4.5.4 and 4.6.4).
private func orientation(of file: [UInt8]) -> Int? {
    guard let start = file.prefix(1 << 17).firstRange(of: Array("Exif\0\0".utf8))?.upperBound
    else { return nil }
    let isLittleEndian = file[start...].first == UInt8(ascii: "I")
    func number(at offset: Int, _ count: Int = 2) -> Int? {
        let bytes = file[start...].dropFirst(offset).prefix(count)
        guard bytes.count == count else { return nil }
        return (isLittleEndian ? bytes.reversed() : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(at: 4, 4), let count = number(at: directory) else { return nil }
    let entries = (0..<count).map { directory + 2 + 12 * $0 }
    return entries.first { number(at: $0) == 274 }.flatMap { number(at: $0 + 8) }
}
