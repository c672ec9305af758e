import FoundationEssentials
import PictureDecoding
import TerminalViews
import UserdAPI
import Varlink

extension PictureReply {
    /// The file. Throws `InvalidReply`.
    package func file() throws -> [UInt8] {
        guard let data = Data(base64Encoded: content) else {
            throw InvalidReply(
                method: UserdMethod.getPicture.qualifiedName, reason: "content is no base64")
        }
        return Array(data)
    }

    /// The picture as a view, no larger than that many cells. Throws a `CommandError` where it can't be drawn.
    func drawn(_ drawing: PictureDrawing, columns: Int, rows: Int, on output: Console.Output) throws
        -> Picture
    {
        let file = try file()
        // A line stays for the prompt, and one for what is said.
        let rows = min(rows, (output.size()?.rows ?? 24) - 2)
        do throws(PictureError) {
            return Picture(try Bitmap(file: file), file: file, drawing, columns: columns, rows: rows)
        } catch {
            throw CommandError(
                error.text(contentType), .failed, advice: "--output FILE writes it as it is")
        }
    }
}

extension PictureError {
    fileprivate func text(_ contentType: String) -> String {
        switch self {
        case .otherFormat: "pictures of the type \(contentType) can't be drawn here, only JPEG and PNG"
        case .tooLarge(let width, let height):
            "the picture is too large to be drawn: \(grouped(width)) by \(grouped(height)) pixels"
        case .damaged: "the picture is damaged, or of a kind that can't be drawn"
        }
    }
}

extension Connection {
    /// The picture beside a user's card; nil where there is none at hand, or none that can be drawn. What goes wrong with
    /// it is no reason not to show the card.
    func portrait(of id: String, _ drawing: PictureDrawing?, on output: Console.Output) async -> Picture? {
        guard let drawing,
            let reply = try? await read(.getPicture, \.getPictureSoon, GetPicture(key: id)).decoded(),
            !reply.placeholder
        else { return nil }
        return try? reply.portrait(drawing, on: output)
    }
}

extension PictureReply {
    /// In the size that goes with a card.
    func portrait(_ drawing: PictureDrawing, on output: Console.Output) throws -> Picture {
        try drawn(drawing, columns: 26, rows: 13, on: output)
    }
}
