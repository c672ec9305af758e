import FoundationEssentials
import Model
import TerminalViews
import UserdAPI
import Varlink

extension PictureReply {
    /// The picture file's bytes. Throws `InvalidReply`.
    func file() throws -> [UInt8] {
        guard let data = Data(base64Encoded: content) else {
            throw InvalidReply(
                method: UserdMethod<GetPicture, PictureReply>.getPicture.qualifiedName,
                reason: "content is not base64")
        }
        return Array(data)
    }

    /// The picture as a view of at most `columns` × `rows` cells. Throws a `CommandError` if it can't be drawn.
    func drawn(_ drawing: PictureDrawing, columns: Int, rows: Int, on output: Console.Output) throws
        -> Picture
    {
        let file = try file()
        // Leaves a line for the prompt, and one for a message.
        let rows = min(rows, (output.size()?.rows ?? 24) - 2)
        do throws(PictureError) {
            // Some terminals don't turn the files that they are sent.
            let file = try upright(file)
            return Picture(try Bitmap(file: file), file: file, drawing, columns: columns, rows: rows)
        } catch {
            throw CommandError(
                error.text(contentType), .failed, advice: "--output FILE writes it to a file instead")
        }
    }

    /// Draws the picture in the size for a card.
    func portrait(_ drawing: PictureDrawing, on output: Console.Output) throws -> Picture {
        try drawn(drawing, columns: 26, rows: 13, on: output)
    }
}

extension PictureError {
    fileprivate func text(_ contentType: String) -> String {
        switch self {
        case .otherFormat: "userctl can't draw \(contentType), only JPEG and PNG"
        case .tooLarge(let width, let height):
            "the picture is too large to draw: \(grouped(width)) by \(grouped(height)) pixels"
        case .damaged: "the picture is damaged or of an unsupported kind"
        }
    }
}

extension UserdOrCache {
    /// - Parameter up: with all managers.
    func details(
        of user: User, _ drawing: PictureDrawing?, on output: Console.Output, up: Bool = false
    ) async -> CardDetails {
        // A userd of an earlier version knows neither.
        let query = ListReports(key: user.id, depth: 1, limit: 1)
        let tree = try? await read(.listReports, \.listReports, query).decoded()
        let chain = try? await read(.listManagers, \.listManagers, ListManagers(key: user.id)).decoded()
        let manager = if let chain { chain.managers.first } else { await manager(of: user) }
        return CardDetails(
            portrait: await portrait(of: user.id, drawing, on: output), manager: manager,
            managers: up ? chain?.names ?? [] : [], reports: tree?.positions.first?.reports ?? 0)
    }

    /// The picture beside a user's card. If it is not available or can't be drawn, nil: the card goes without.
    func portrait(
        of id: String, _ drawing: PictureDrawing?, on output: Console.Output
    ) async -> Picture? {
        guard let drawing else { return nil }
        let query = GetPicture(key: id)
        let reply =
            // A slow answer does not mean that userd is down: it may be fetching the picture.
            source == .daemon
            ? try? userd().getPictureSoon(query)
            : try? await read(.getPicture, \.getPicture, query)
        guard let reply = try? reply?.decoded(), !reply.placeholder else { return nil }
        return try? reply.portrait(drawing, on: output)
    }
}
