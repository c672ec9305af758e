import Platform

extension Recording {
    /// Reads a HAR file; refuses a path that is not a regular file.
    package init(file path: String) throws(HARError) {
        do throws(HARError) {
            let bytes = try contents(of: path, upTo: HARLimits.fileBytes + 1)
            guard bytes.count <= HARLimits.fileBytes else {
                throw HARError(reason: "is larger than \(HARLimits.fileBytes >> 20) MiB")
            }
            try self.init(har: bytes)
        } catch {
            throw HARError(file: path, place: error.place, reason: error.reason)
        }
    }
}

func contents(of path: String, upTo count: Int) throws(HARError) -> [UInt8] {
    do throws(FileError) { return try RegularFile(path, upTo: count).bytes } catch {
        throw HARError(reason: error.description)
    }
}
