import FoundationEssentials
import HTTP
import Model
import StrictJSON
import Upstream

/// Reads the bytes as each text that userd takes from outside.
func checkUpstream(_ input: [UInt8]) throws(BrokenInvariant) {
    let text = String(decoding: input, as: UTF8.self)
    try checkWaits(text)
    try checkAddresses(text)
    try checkLifetimes(input, text)
    try checkLinks(input)
    checkAnswers(input, text)
}

private let now = Timestamp(milliseconds: 1_700_000_000_000)
private let directory = URL(string: "https://directory.example/users")

private func checkWaits(_ text: String) throws(BrokenInvariant) {
    guard let directory else { return }
    for headers: HTTPHeaders in [["Retry-After": text], ["X-RateLimit-Reset": text, "Date": text]] {
        let wait = HTTPResponse(status: 429, headers: headers).failure(from: directory, now: now)?.retryAfter
        try require(wait.map { .zero ... .seconds(86_400) ~= $0 } ?? true, "a wait of \(wait ?? .zero)")
    }
}

/// A picture's address, a redirect's, and a next page's.
private func checkAddresses(_ text: String) throws(BrokenInvariant) {
    guard let directory else { return }
    let redirect = HTTPResponse(status: 302, headers: ["Location": text])
    let accepted = [
        URL(httpAddress: text), URL(httpAddress: text, relativeTo: directory),
        try? redirectTarget(of: redirect, from: directory),
    ]
    for url in accepted.compactMap(\.self) {
        // By another reader than userd's.
        let authority =
            url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
            .dropFirst(2).first?.prefix { !"?#".contains($0) } ?? ""
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let end = place.split(separator: "]", omittingEmptySubsequences: false).last ?? ""
        let digits = end.split(separator: ":", omittingEmptySubsequences: false).dropFirst().last ?? ""
        try require(digits.isEmpty || Int(digits).map { 1...65_535 ~= $0 } == true, "the port \(digits)")
        try require(HTTPOrigin(url)?.host.text.contains("%") == false, "a host with %")
    }
}

private func checkLifetimes(_ input: [UInt8], _ text: String) throws(BrokenInvariant) {
    let quoted = Array("{\"expires_in\":".utf8) + StrictJSON.quoted(text) + Array("}".utf8)
    for json in [input, quoted].compactMap({ try? JSONValue(upstream: $0) }) {
        let life = json.lifetime("expires_in", "refresh_expires_in", "interval")
        try require(life.map { 0...1e9 ~= $0 } ?? true, "a lifetime of \(life ?? 0)")
    }
}

private func checkLinks(_ input: [UInt8]) throws(BrokenInvariant) {
    // A link may begin at the end of the first copy: what follows is read in another way.
    let (once, twice) = (CountedBytes(input + input), CountedBytes(input + input + input + input))
    _ = (nextLink(in: once), nextLink(in: twice))
    try require(
        twice.steps.count <= 3 * once.steps.count + 100,
        "\(once.steps.count) steps for \(once.count) bytes, \(twice.steps.count) for twice the bytes")
}

/// Counts each look at a byte.
private struct CountedBytes: Collection {
    final class Steps { var count = 0 }

    let bytes: [UInt8]
    let steps = Steps()

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var startIndex: Int { bytes.startIndex }
    var endIndex: Int { bytes.endIndex }

    func index(after index: Int) -> Int { index + 1 }

    subscript(index: Int) -> UInt8 {
        steps.count += 1
        return bytes[index]
    }
}

/// Any answer will do, but a trap.
private func checkAnswers(_ input: [UInt8], _ text: String) {
    for kind in [DNSRecord.Kind.alias, .mail, .service] {
        if var message = try? DNSMessage(input) { _ = try? message.answers(kind) }
    }
    let expected = ExpectedRedirect(state: "s", issuer: "https://issuer.example", alwaysNamesIssuer: true)
    _ = expected.answer(in: text)
    _ = try? expected.answer(pasted: text)
}
