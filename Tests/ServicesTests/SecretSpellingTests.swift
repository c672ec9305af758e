import Foundation
import Model
import Services
import StrictJSON
import TestSupport
import Testing

/// An upstream may say what it was told, or what it gave, in other words.
@Suite("Secrets in other spellings")
struct SecretSpellingTests {
    private static let token = "Canary/T+ken=é1"

    private func kept(_ body: [UInt8], token: String = token) throws -> [UInt8] {
        try ServicesTests.kept(
            HTTPResponse(status: 200, body: body), headers: ["Authorization": "Bearer \(token)"]
        ).body
    }

    private func kept(_ body: String) throws -> String {
        String(decoding: try kept(Array(body.utf8)), as: UTF8.self)
    }

    private static func each(_ text: String, _ spelling: (UInt8) -> String) -> String {
        text.utf8.map(spelling).joined()
    }

    private static func hex(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return digits.utf8.count == 1 ? "0" + digits : digits
    }

    private static let percents = each(token) { "%" + hex($0) }
    private static let units = token.utf16.map { "u00" + hex(UInt8($0)) }

    private static let spellings: [String] =
        plain + hexadecimal + inAddresses + inJSON + inHTML + ["C\u{0}anary/T+ken=é1"]
    private static let plain: [String] = [token, "CANARY/t+KEN=é1", "canary/t+ken=é1", "Canary/T ken=é1"]
    private static let hexadecimal: [String] = [each(token, hex), each(token, hex).uppercased()]
    private static let inAddresses: [String] = [
        percents, percents.uppercased(), percents.replacing("%", with: "%25"),
        percents.replacing("%", with: "%252525"), each(percents) { "%" + hex($0) },
        "Canary%2FT%2Bken%3D%C3%A91", "Canary%2fT+ken%3d%c3%a91",
    ]
    private static let inJSON: [String] =
        [#"\"#, #"\\"#, #"\\\\"#, "%5c", "&#92;"].map { opener in units.map { opener + $0 }.joined() }
        + [
            #"Canary\/T+ken=\u00e91"#, #"Canary\\/T+ken=\\u00e91"#, #"Canary\\\/T+ken=\\\\u00E91"#,
            each(percents) { #"\u00"# + hex($0) }, each("Canary/T+ken=") { #"\x"# + hex($0) } + "é1",
        ]
    private static let inHTML: [String] = [
        each("Canary/T+ken=") { "&#" + String($0) + ";" } + "&#233;1",
        units.map { "&#x" + $0.dropFirst() + ";" }.joined(), "Canary&#x2F;T&#43;ken&#61;&#xe9;1",
        "Canary&sol;T&plus;ken&equals;é1", "Canary&amp;sol;T&amp;PLUS;ken&#61;é1",
        "Canary&amp;#x2F;T&amp;amp;#43;ken=é1", "Canary%26%23x2f%3BT+ken=é1", #"Canary\u0026#47;T+ken=é1"#,
    ]

    @Test(
        "It is found in either case, in hexadecimal, and with the escapes of addresses, JSON and HTML, however often",
        arguments: spellings)
    func escapes(spelling: String) throws {
        #expect(try kept("before \(spelling) after") == "before redacted after")
        let binary = [0xFF] + Array(spelling.utf8) + [0x80]
        #expect(try kept(binary) == [0xFF] + Array("redacted".utf8) + [0x80])
    }

    @Test("It is found after what would be an escape with its first letters")
    func afterOpeners() throws {
        for opener in ["%", "%25", #"\\u00"#] {
            #expect(try kept("- \(opener)\(Self.token) -") == "- \(opener)redacted -")
        }
        let literal = Array(#"xa%41b\u0041cy"#.utf8)
        #expect(try kept(literal, token: #"xa%41b\u0041cy"#) == Array("redacted".utf8))
    }

    @Test(
        "A character that takes two escapes of JSON is found",
        arguments: [
            #"c\ud83d\ude00nary"#, #"c\uD83D\uDE00nary"#, #"c\\ud83d\\ude00nary"#, "c%f0%9f%98%80nary",
            "c&#128512;nary",
            #"C\u005cud83d\u005cude00NARY"#,
        ])
    func pairs(spelling: String) throws {
        #expect(try kept(Array("- \(spelling) -".utf8), token: "c😀nary") == Array("- redacted -".utf8))
        let halves = #"\ude00 \ud83d \ud83dx \ude00\ud83d"#
        #expect(try kept(Array(halves.utf8), token: "c😀nary") == Array(halves.utf8))
    }

    @Test("What HTML and addresses write for a character of it is found as well")
    func references() throws {
        let spellings = [
            "a&amp;b&lt;c&gt;d&quot;e&apos;f", "a%26b%3cc%3Ed%22e%27f", #"a\u0026b\u003cc>d\"e'f"#,
        ]
        for spelling in spellings {
            #expect(
                try kept(Array("- \(spelling) -".utf8), token: "a&b<c>d\"e'f") == Array("- redacted -".utf8))
        }
    }

    private static func url(_ base64: String) -> String {
        base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func json(_ text: String) -> String { text.replacing("/", with: #"\/"#) }

    @Test("In base64 of it alone or of a longer text, what holds a part of it is taken out", arguments: 0...7)
    func base64(before: Int) throws {
        let spellings = [
            Self.token, "CANARY/t+KEN=é1", Self.percents, Self.percents.replacing("%", with: "%25"),
            Self.units.map { #"\"# + $0 }.joined(),
        ]
        for spelling in spellings {
            let (start, text) = (String(repeating: "~", count: before), "~~>?<\u{7F}~~")
            let whole = Data((start + spelling + text).utf8).base64EncodedString()
            let first = before / 3 * 4
            let last = (before + spelling.utf8.count + 2) / 3 * 4
            let expected = String(whole.prefix(first)) + "redacted" + String(whole.dropFirst(last))
            #expect(try kept("- \(whole) -") == "- \(expected) -")
            #expect(try kept("- \(Self.url(whole)) -") == "- \(Self.url(expected)) -")
            #expect(try kept(#"{"a":"\#(Self.json(whole))"}"#) == #"{"a":"\#(Self.json(expected))"}"#)
            let encoded = whole.replacing("+", with: "%2B").replacing("/", with: "%2F")
            #expect(try !kept("?a=\(encoded)&b").contains(encoded.dropFirst(first + 6).prefix(12)))
            let end = Self.url(Data((start + spelling).utf8).base64EncodedString())
            #expect(try kept("- \(end)") == "- \(end.prefix(first))redacted")
            #expect(try kept("- \(Data(whole.utf8).base64EncodedString()) -").contains("redacted"))
        }
    }

    @Test("Base64 in lines is one text, and one of any length is looked through", arguments: [76, 200_000])
    func long(length: Int) throws {
        // The second is looked through in parts, the first of which ends in the middle of the token.
        for before in [50, 27_836] {
            let text =
                String(repeating: "ab", count: before) + "~\(Self.token)~"
                + String(repeating: "c", count: 300)
            let options: Data.Base64EncodingOptions = length == 76 ? .lineLength76Characters : []
            let whole = Data(text.utf8).base64EncodedString(options: options)
            let kept = try kept("- \(whole) -")
            #expect(kept.count > whole.count - 40)
            let parts = kept.dropFirst(2).dropLast(2).split(separator: "redacted")
            try #require(parts.count == 2)
            #expect(parts.allSatisfy { whole.contains($0) })
        }
    }

    @Test("What is nearly it, and what escapes nothing, stays as it is")
    func others() throws {
        let text = #"Canary/T+ken=é %zz %4 \u00g1 \ &# &#x; &nothing; &#99999999; Canary-T_ken=é1 %"#
        #expect(try kept(text) == text)
        let data = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 256) })
        #expect(try kept(Array(data)) == Array(data))
        #expect(try kept(data.base64EncodedString()) == data.base64EncodedString())
    }

    @Test("JSON stays JSON, however it has the token in it", arguments: 0..<20 as Range<UInt64>)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let openers = ["%", "\\u00", "&#x", "%25", #"\\u00"#, "%5cu00", #"\u0025"#, "&amp;#x", ""]
        for _ in 0..<50 {
            let body = Self.each("Canary-T0ken") { byte in
                let opener = openers.randomElement(using: &random)!
                guard !opener.isEmpty else { return String(decoding: [byte], as: UTF8.self) }
                return opener + Self.hex(byte) + (opener.hasSuffix("#x") ? ";" : "")
            }
            let json = try kept(Array(#"{"a":"b\\\#(body)\n","c":1}"#.utf8), token: "canary-t0KEN")
            #expect(throws: Never.self) { try StrictJSON.validate(json, maximumDepth: 2) }
            let text = String(decoding: json, as: UTF8.self)
            #expect(text.hasPrefix(#"{"a":"b"#) && text.contains(#"redacted\n","c":1}"#), "\(body)")
        }
    }
}
