struct Answer: Sendable {
    /// The part may be empty: the client is given more time, since its answer is being made.
    typealias Send = (_ part: [UInt8]) async throws -> Void

    enum Body: Sendable {
        case whole([UInt8])
        /// Written as it is made, while the client reads.
        case parts(@Sendable (Send) async throws -> Void)
    }

    var status: Int
    var headers: [(name: String, value: String)] = []
    var body = Body.whole([])
    /// Whether the connection ends with it.
    var closes = false

    static func text(_ status: Int, _ text: String) -> Answer {
        Answer(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: .whole(Array((text + "\n").utf8)))
    }

    /// Clients keep the cards that they have.
    static func unavailable(_ reason: String) -> Answer {
        var answer = Answer.text(503, reason)
        answer.headers.append(("Retry-After", "10"))
        return answer
    }

    /// - Parameter condition: an element of `DAV:error`.
    static func error(_ status: Int, _ condition: String) -> Answer {
        let xml = """
            <?xml version="1.0" encoding="utf-8"?>
            <error xmlns="DAV:" xmlns:C="\(XMLName.carddav)">\(condition)</error>
            """
        return Answer(status: status, headers: [xmlType], body: .whole(Array(xml.utf8)))
    }

    static func multistatus(
        _ write: @escaping @Sendable (inout MultistatusWriter, Send) async throws -> Void
    ) -> Answer {
        Answer(
            status: 207, headers: [xmlType],
            body: .parts { send in
                var writer = MultistatusWriter()
                writer.append(MultistatusWriter.begin)
                try await write(&writer, send)
                writer.append(MultistatusWriter.end)
                try await send(writer.take())
            })
    }

    private static let xmlType = (name: "Content-Type", value: "application/xml; charset=utf-8")
}
