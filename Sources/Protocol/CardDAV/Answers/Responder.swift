import Model
import UserdAPI
import Varlink

/// Answers requests that have passed the guards.
struct Responder: Sendable {
    let book: AddressBook

    /// Size of what is sent at once.
    private static let part = 64 << 10

    /// What can be asked for without a password.
    static let options = Answer(
        status: 200,
        headers: [
            ("DAV", "1, 3, access-control, addressbook"), ("Allow", "OPTIONS, GET, HEAD, PROPFIND, REPORT"),
        ])

    /// - Parameters:
    ///   - depth: the header of a PROPFIND.
    ///   - request: the body of a PROPFIND or a REPORT; nil without one.
    func answer(
        _ method: String, _ path: Substring, depth: String?, ifNoneMatch: [String], accept: String?,
        _ request: DAVRequest?
    ) async throws -> Answer {
        do {
            let resource = Resource(path: path)
            switch method {
            case "PROPFIND": return try await found(resource, depth: depth, request ?? .allProperties)
            case "REPORT": return try await report(resource, request)
            case "GET", "HEAD": return try await content(resource, ifNoneMatch, accept)
            default: return .error(403, "<need-privileges/>")
            }
        } catch AddressBook.Unusable.tooLarge(let maximum) {
            return .text(
                507,
                "the address book has more than \(maximum) users: choose some with carddav.search or "
                    + "carddav.department in config.yaml, or set carddav.max_users")
        } catch AddressBook.Unusable.neverSynced {
            // Clients would remove the cards that they have.
            return .unavailable("userd has not fetched the users yet: `userctl status` says why")
        } catch let error as VarlinkError {
            return .unavailable("the cache can't be read: \(error)")
        }
    }

    // MARK: PROPFIND

    private func found(_ resource: Resource?, depth: String?, _ request: DAVRequest) async throws -> Answer {
        guard request.kind == .propfind else { return .text(400, "the body is not a propfind") }
        guard let depth, depth == "0" || depth == "1" else {
            return .error(403, "<propfind-finite-depth/>")
        }
        guard let resource else { return .text(404, "there is nothing here") }
        if case .card(let id) = resource { return try await found(card: id, request) }
        let showsBook = resource == .book || resource == .home && depth == "1"
        let snapshot = showsBook ? try await book.snapshot() : nil
        let listed: [Resource] = resource == .home && depth == "1" ? [.home, .book] : [resource]
        return .multistatus { writer, send in
            for resource in listed {
                writer.append(resource.path, Properties.shown(of: resource, request.properties)) {
                    name, writer in
                    writer.append(Properties.value(name, of: resource, ctag: snapshot?.ctag ?? ""))
                }
            }
            guard resource == .book, depth == "1", let snapshot else { return }
            let shown = Properties.shown(of: .card(id: ""), request.properties)
            for card in snapshot.cards {
                append(card, shown, &writer)
                if writer.bytes.count >= Self.part { try await send(writer.take()) }
            }
        }
    }

    private func found(card id: String, _ request: DAVRequest) async throws -> Answer {
        guard let card = try await card(id) else { return .text(404, "there is no such card") }
        let shown = Properties.shown(of: .card(id: id), request.properties)
        return .multistatus { writer, _ in
            append(BookIndex.Card(id: id, digest: card.digest), shown, &writer)
        }
    }

    private func append(
        _ card: BookIndex.Card, _ shown: ShownProperties, _ writer: inout MultistatusWriter,
        data: [UInt8] = []
    ) {
        let resource = Resource.card(id: card.id)
        writer.append(resource.path, shown) { name, writer in
            switch name {
            case Properties.etag: writer.append(book.etag(card.digest))
            case Properties.data: writer.append(text: data)
            default: writer.append(Properties.value(name, of: resource, ctag: ""))
            }
        }
    }

    // MARK: REPORT

    private func report(_ resource: Resource?, _ request: DAVRequest?) async throws -> Answer {
        guard let request else { return .text(400, "the report is missing") }
        guard resource == .book else { return .error(403, "<supported-report/>") }
        switch request.kind {
        case .multiget: return try await multiget(request)
        case .query: return try await query(request)
        case .propfind, .other: return .error(403, "<supported-report/>")
        }
    }

    private func multiget(_ request: DAVRequest) async throws -> Answer {
        try await book.requireSynced()
        let shown = Properties.shownInReport(request.properties)
        return .multistatus { writer, send in
            let references = request.references
            for start in stride(from: 0, to: references.count, by: book.run) {
                let run = references[start..<min(start + book.run, references.count)]
                let ids = run.compactMap { if case .card(let id) = $0 { id } else { nil } }
                var cards = try await book.cards(of: ids)[...]
                for reference in run {
                    if case .card = reference, let card = cards.removeFirst() {
                        try append(card, shown, request, &writer)
                    } else {
                        writer.appendMissing(path: reference.path)
                    }
                    if writer.bytes.count >= Self.part { try await send(writer.take()) }
                }
            }
        }
    }

    private func query(_ request: DAVRequest) async throws -> Answer {
        let snapshot = try await book.snapshot()
        let shown = Properties.shownInReport(request.properties)
        return .multistatus { writer, send in
            var left = request.limit ?? .max
            let ids = snapshot.cards.map(\.id)
            for start in stride(from: 0, to: ids.count, by: book.run) {
                let run = Array(ids[start..<min(start + book.run, ids.count)])
                for card in try await book.cards(of: run).compactMap(\.self) {
                    if let filter = request.filter,
                        !filter.matches(
                            try book.text(of: card, wantsVersion4: false, hasPhoto: filter.has("PHOTO")))
                    {
                        continue
                    }
                    guard left > 0 else { return writer.appendIncomplete() }
                    left -= 1
                    try append(card, shown, request, &writer)
                    if writer.bytes.count >= Self.part { try await send(writer.take()) }
                }
                try await send(writer.take())
            }
        }
    }

    private func append(
        _ card: BookCard, _ shown: ShownProperties, _ request: DAVRequest, _ writer: inout MultistatusWriter
    ) throws {
        let hasData = shown.found.contains(Properties.data)
        append(
            BookIndex.Card(id: card.id, digest: card.digest), shown, &writer,
            data: hasData ? try book.text(of: card, wantsVersion4: request.wantsVersion4) : [])
    }

    // MARK: GET

    private func content(
        _ resource: Resource?, _ ifNoneMatch: [String], _ accept: String?
    ) async throws -> Answer {
        guard let resource else { return .text(404, "there is nothing here") }
        guard case .card(let id) = resource else {
            return .text(200, "This is userd's address book: give this address to a mail client.")
        }
        guard let card = try await card(id) else { return .text(404, "there is no such card") }
        let etag = book.etag(card.digest)
        // Compared weakly (RFC 9110, section 13.1.2).
        if ifNoneMatch.contains(where: { $0 == etag || $0 == "W/" + etag || $0 == "*" }) {
            return Answer(status: 304, headers: [("ETag", etag)])
        }
        let text = try book.text(of: card, wantsVersion4: accept?.contains("version=4.0") == true)
        return Answer(
            status: 200, headers: [("Content-Type", "text/vcard; charset=utf-8"), ("ETag", etag)],
            body: .whole(text))
    }

    private func card(_ id: String) async throws -> BookCard? {
        try await book.requireSynced()
        return try await book.cards(of: [id])[0]
    }
}
