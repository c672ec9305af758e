import Testing

@testable import CardDAV

@Suite("Requests of address books")
struct RequestReaderTests {
    private static let namespaces = """
        xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav" xmlns:cs="http://calendarserver.org/ns/"
        """

    /// Reads the text in parts of this many bytes.
    private func read(_ text: String, by size: Int = .max) throws -> DAVRequest? {
        try read(Array(text.utf8), by: size)
    }

    private func read(_ bytes: [UInt8], by size: Int) throws -> DAVRequest? {
        let reader = RequestReader()
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(size))
            rest = rest.dropFirst(part.count)
            try part.withUnsafeBytes { (bytes) in try reader.read(bytes) }
        }
        return try reader.finish()
    }

    private func refusal(_ text: String) -> RefusedRequest? {
        do {
            _ = try read(text)
            return nil
        } catch {
            return error as? RefusedRequest
        }
    }

    @Test("A propfind names properties, also in single bytes", arguments: [1, 7, .max])
    func propfind(size: Int) throws {
        let text =
            "<propfind \(Self.namespaces)><prop><getetag/><cs:getctag/><x:a xmlns:x=\"urn:x\"/></prop></propfind>"
        let request = try #require(try read(text, by: size))
        #expect(request.kind == .propfind)
        #expect(
            request.properties
                == .some([.dav("getetag"), .ctag, XMLName(namespace: "urn:x", local: "a")]))
    }

    @Test func `no body, allprop and propname`() throws {
        #expect(try read("") == nil)
        #expect(try read("<propfind \(Self.namespaces)><allprop/></propfind>")?.properties == .all)
        #expect(try read("<propfind \(Self.namespaces)><propname/></propfind>")?.properties == .names)
    }

    @Test func `a multiget has ids of paths and of whole URLs, and keeps other paths`() throws {
        let text = """
            <c:addressbook-multiget \(Self.namespaces)><prop><getetag/><c:address-data Version="4.0"><allprop/></c:address-data></prop>
            <href>/dav/me/books/directory/YWRh.vcf</href><href>http://127.0.0.1:1/dav/me/books/directory/YWRh.vcf</href>
            <href>/dav/me/books/directory/YWRh=.vcf</href><href> /else&amp;where </href></c:addressbook-multiget>
            """
        let request = try #require(try read(text))
        #expect(
            request.references == [
                .card(id: "ada"), .card(id: "ada"), .other(path: "/dav/me/books/directory/YWRh=.vcf"),
                .other(path: "/else&where"),
            ])
        #expect(request.wantsVersion4)
        #expect(request.kind == .multiget)
    }

    @Test func `a query has conditions and a limit`() throws {
        let text = """
            <c:addressbook-query \(Self.namespaces)><prop><getetag/></prop><c:filter test="allof">
            <c:prop-filter name="fn"><c:text-match match-type="starts-with" negate-condition="yes">Ä</c:text-match></c:prop-filter>
            <c:prop-filter name="TEL"><c:is-not-defined/></c:prop-filter></c:filter>
            <c:limit><c:nresults> 5 </c:nresults></c:limit></c:addressbook-query>
            """
        let request = try #require(try read(text))
        #expect(request.limit == 5)
        let name = CardFilter.Property(
            name: "FN", texts: [CardFilter.Text(match: .startsWith, isNegated: true, text: "ä")])
        #expect(
            request.filter
                == CardFilter(
                    needsAll: true, properties: [name, CardFilter.Property(name: "TEL", isAbsent: true)]))
    }

    @Test(
        "What is not allowed is refused",
        arguments: [
            ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", 400, "a document type is not allowed"),
            (String(repeating: "<a>", count: 17), 400, "the XML is nested too deeply"),
            ("<a", 400, "the XML can't be read: unclosed token at line 1"),
            ("<a></b>", 400, "the XML can't be read: mismatched tag at line 1"),
            (
                "<propfind xmlns='DAV:'><prop>\(String(repeating: "<a/>", count: 101))</prop></propfind>",
                400,
                "too many properties"
            ),
            (
                "<c:addressbook-multiget xmlns='DAV:' xmlns:c='urn:ietf:params:xml:ns:carddav'><href>"
                    + String(repeating: "a", count: 5000), 400, "a text is too long"
            ),
            (
                "<c:addressbook-query xmlns:c='urn:ietf:params:xml:ns:carddav'><c:filter><c:prop-filter name='FN'>"
                    + "<c:param-filter/>", 403, "the filter param-filter is not supported"
            ),
        ])
    func refused(text: String, status: Int, reason: String) {
        let found = refusal(text)
        #expect(found?.status == status)
        #expect(found?.reason == reason)
    }

    @Test("Damaged requests never do more than fail", arguments: 0..<20)
    func fuzzed(seed: Int) {
        var random = Random(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
        let sample = Array(
            """
            <?xml version="1.0"?><c:addressbook-query \(Self.namespaces)><prop><getetag/></prop><c:filter test="anyof">
            <c:prop-filter name="FN"><c:text-match>ä&#13;</c:text-match></c:prop-filter></c:filter><href>/dav/</href>
            <c:limit><c:nresults>5</c:nresults></c:limit></c:addressbook-query>
            """.utf8)
        for _ in 0..<500 {
            var bytes = sample
            for _ in 0...random.below(4) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = UInt8(random.below(256))
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes.suffix(random.below(40)), at: place)
                }
            }
            // A request is the same in any parts, or refused.
            let found = [Int.max, 1].map { size in Result { try read(bytes, by: size) } }
            switch (found[0], found[1]) {
            case (.success(let whole), .success(let parts)): #expect(whole != nil && whole == parts)
            case (.failure(let a), .failure(let b)): #expect(a is RefusedRequest && b is RefusedRequest)
            default: Issue.record("\(bytes): \(found)")
            }
        }
    }
}

/// xorshift64*
private struct Random {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Int((state &* 0x2545_F491_4F6C_DD1D) >> 33) % max(1, limit)
    }
}
