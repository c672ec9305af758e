import CExpat

/// Reads a request's body as it arrives, and keeps only what is asked for.
final class RequestReader {
    private let parser: XML_Parser
    private var path: [XMLName] = []
    private var request: DAVRequest?
    private var names: [XMLName] = []
    /// The content of an element whose text counts.
    private var text: [UInt8]?
    private var refusal: RefusedRequest?
    private var isEmpty = true

    private static let maximumDepth = 16
    private static let maximumNames = 100
    private static let maximumConditions = 32
    private static let maximumReferences = 250_000
    private static let maximumText = 4096

    /// Between a namespace and a local name, which can't contain it.
    private static let separator: UInt8 = 0x0A

    /// The document must be UTF-8, whatever it says.
    init() {
        guard let parser = XML_ParserCreateNS("UTF-8", XML_Char(Self.separator)) else {
            fatalError("no memory for an XML parser")
        }
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { RequestReader.of($0)?.start($1, $2) }, { user, _ in RequestReader.of(user)?.end() })
        XML_SetCharacterDataHandler(parser) { user, bytes, count in
            RequestReader.of(user)?.add(UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        // Entities could make a document far larger than it is.
        XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
            RequestReader.of(user)?.refuse(.malformed("a document type is not allowed"))
        }
    }

    deinit { XML_ParserFree(parser) }

    private static func of(_ user: UnsafeMutableRawPointer?) -> RequestReader? {
        user.map { Unmanaged<RequestReader>.fromOpaque($0).takeUnretainedValue() }
    }

    func read(_ bytes: UnsafeRawBufferPointer) throws(RefusedRequest) {
        if let refusal { throw refusal }
        guard !bytes.isEmpty else { return }
        isEmpty = false
        try parse(bytes, isLast: false)
    }

    /// Nil if there was no body.
    func finish() throws(RefusedRequest) -> DAVRequest? {
        if let refusal { throw refusal }
        if isEmpty { return nil }
        try parse(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true)
        guard var request else { throw .malformed("the request is empty") }
        if !names.isEmpty { request.properties = .some(names) }
        return request
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, isLast: Bool) throws(RefusedRequest) {
        let chars = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        let status = XML_Parse(parser, chars, Int32(clamping: bytes.count), isLast ? 1 : 0)
        if let refusal { throw refusal }
        guard status == XML_STATUS_OK else {
            let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unreadable"
            throw .malformed("the XML can't be read: \(reason) at line \(XML_GetCurrentLineNumber(parser))")
        }
    }

    private func refuse(_ refusal: RefusedRequest) {
        self.refusal = self.refusal ?? refusal
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    // MARK: Elements

    private func start(
        _ name: UnsafePointer<XML_Char>?, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        guard refusal == nil, let name else { return }
        guard path.count < Self.maximumDepth else {
            return refuse(.malformed("the XML is nested too deeply"))
        }
        let element = Self.name(name)
        defer { path.append(element) }
        text = nil
        func attribute(_ wanted: String) -> String? { Self.value(of: wanted, attributes) }
        switch path.count {
        case 0: begin(element)
        case 1:
            switch element {
            case .dav("propname"): request?.properties = .names
            case .dav("href"): text = []
            case .carddav("filter"): request?.filter = CardFilter(needsAll: attribute("test") == "allof")
            default: break
            }
        case 2 where path[1] == .dav("prop"):
            guard names.count < Self.maximumNames else { return refuse(.malformed("too many properties")) }
            names.append(element)
            if element == .carddav("address-data") { request?.wantsVersion4 = attribute("version") == "4.0" }
        case 2 where path[1] == .carddav("filter") && element == .carddav("prop-filter"):
            beginProperty(
                CardFilter.Property(
                    name: (attribute("name") ?? "").uppercased(), needsAll: attribute("test") == "allof"))
        case 2 where path[1] == .carddav("limit") && element == .carddav("nresults"): text = []
        case 3 where path[2] == .carddav("prop-filter"):
            beginCondition(
                element, match: attribute("match-type"), isNegated: attribute("negate-condition") == "yes")
        default: break
        }
    }

    private func begin(_ root: XMLName) {
        switch root {
        case .dav("propfind"): request = DAVRequest(kind: .propfind)
        case .carddav("addressbook-multiget"): request = DAVRequest(kind: .multiget)
        case .carddav("addressbook-query"): request = DAVRequest(kind: .query)
        default: request = DAVRequest(kind: .other)
        }
    }

    private func beginProperty(_ property: CardFilter.Property) {
        guard request?.filter?.properties.count ?? 0 < Self.maximumConditions else {
            return refuse(.malformed("too many conditions"))
        }
        request?.filter?.properties.append(property)
    }

    private func beginCondition(_ element: XMLName, match: String?, isNegated: Bool) {
        guard let property = request?.filter?.properties.indices.last else { return }
        let kind = CardFilter.Text.Match(rawValue: match ?? "contains")
        switch element {
        case .carddav("is-not-defined"): request?.filter?.properties[property].isAbsent = true
        case .carddav("text-match"):
            guard let kind, request?.filter?.properties[property].texts.count ?? 0 < Self.maximumConditions
            else { return refuse(.malformed("a text-match can't be used")) }
            request?.filter?.properties[property].texts.append(
                CardFilter.Text(match: kind, isNegated: isNegated))
            text = []
        default:
            refuse(
                RefusedRequest(
                    status: 403, reason: "the filter \(element.local) is not supported",
                    condition: "<C:supported-filter/>"))
        }
    }

    private func add(_ bytes: UnsafeBufferPointer<XML_Char>) {
        guard text != nil else { return }
        bytes.withMemoryRebound(to: UInt8.self) { text?.append(contentsOf: $0) }
        if text?.count ?? 0 > Self.maximumText { refuse(.malformed("a text is too long")) }
    }

    private func end() {
        guard let element = path.popLast(), let content = text else { return }
        text = nil
        let value = String(decoding: content, as: UTF8.self)
        switch element {
        case .dav("href"):
            guard request?.references.count ?? 0 < Self.maximumReferences else {
                return refuse(RefusedRequest(status: 413, reason: "too many hrefs"))
            }
            request?.references.append(DAVRequest.Reference(href: value))
        case .carddav("nresults"): request?.limit = Int(value.filter { !$0.isWhitespace }).map { max(0, $0) }
        case .carddav("text-match"):
            guard let property = request?.filter?.properties.indices.last,
                let last = request?.filter?.properties[property].texts.indices.last
            else { return }
            request?.filter?.properties[property].texts[last].text = value.lowercased()
        default: break
        }
    }

    // MARK: Names

    private static func name(_ chars: UnsafePointer<XML_Char>) -> XMLName {
        let whole = String(cString: chars)
        let parts = whole.utf8.split(separator: separator, maxSplits: 1)
        guard parts.count == 2 else { return XMLName(namespace: "", local: whole) }
        return XMLName(namespace: String(parts[0]) ?? "", local: String(parts[1]) ?? "")
    }

    /// Without regard to case: some clients write `Content-Type`.
    private static func value(
        of wanted: String, _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) -> String? {
        var place = attributes
        while let key = place?.pointee, let value = place?.advanced(by: 1).pointee {
            if String(cString: key).lowercased() == wanted { return String(cString: value) }
            place = place?.advanced(by: 2)
        }
        return nil
    }
}
