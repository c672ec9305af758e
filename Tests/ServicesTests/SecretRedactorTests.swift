import Foundation
import HTTP
import StrictJSON
import TestSupport
import Testing

@Suite("Redaction of userd's own tokens")
struct SecretRedactorTests {
    private static let secret = "t0ken/+=~\"x-Y"

    private let redactor: SecretRedactor

    init() {
        redactor = SecretRedactor()
        redactor.learn(Self.secret)
    }

    @Test(
        "A token is found in plain text, percent-encoded, in JSON and in base64",
        arguments: [
            secret, "t0ken%2F%2B%3D~%22x-Y", "t0ken%2f%2B%3d~%22x-Y", "t0ken/%2B%3D~%22x-Y",
            #"t0ken/+=~\"x-Y"#,
            Data(secret.utf8).base64EncodedString(),
            #"t0ken\/+=~\"x-Y"#, #"t0ken\u002f\u002B\u003d~\u0022x-Y"#, #"t0ken\\\/+=~\\\"x-Y"#,
            #"t0ken\\u002f+=~\\\"x-Y"#, "t0ken%252F%252B%253d~%2522x-Y", #"t0ken%2F\u002b=~\"x-Y"#,
            #"\u00740ken/+=~\"x-Y"#, "%740ken/+=~%22x-Y",
            Data(secret.utf8).base64EncodedString().replacing("/", with: #"\/"#).replacing("+", with: "%2B"),
        ])
    func spellings(text: String) {
        for (before, after) in [("", ""), ("a ", "&b"), ("\(text)\(text) ", "")] {
            let shown = redactor.removed(from: before + text + after)
            #expect(shown.contains("REDACTED") && !shown.contains(text.prefix(6)), "\(shown)")
            #expect(shown.hasSuffix(after))
        }
    }

    @Test("A token is found in the middle of a text in base64, also URL-safe", arguments: 0..<4)
    func base64(count: Int) {
        let text = String(repeating: "u", count: count) + ":" + Self.secret + ":after"
        let base64 = Data(text.utf8).base64EncodedString()
        let urlSafe = base64.replacing("+", with: "-").replacing("/", with: "_")
        for text in [base64, urlSafe] {
            let shown = redactor.removed(from: "a \(text) b")
            #expect(shown.contains("REDACTED"))
            #expect(shown.count < text.count)
        }
    }

    @Test("A secret with an escape of its own, or with letters of any alphabet, is found in each spelling")
    func odd() {
        for secret in [#"pa%2Fss\wo\\rd"#, "pässwörd-😀", "100%\\100%"] {
            let redactor = SecretRedactor()
            redactor.learn(secret)
            let json = String(decoding: StrictJSON.quoted(secret).dropFirst().dropLast(), as: UTF8.self)
            let units = secret.utf16.map { String(format: "\\u%04x", Int($0)) }.joined()
            let percent = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            for text in [secret, json, units, percent] {
                #expect(redactor.removed(from: "a\(text)b") == "aREDACTEDb", "\(text)")
            }
        }
    }

    @Test("Texts that differ from the token stay, and a short token is not looked for")
    func others() {
        let other = Self.secret.uppercased()
        #expect(redactor.removed(from: other) == other)
        #expect(redactor.removed(from: [0, 0xFF]) == [0, 0xFF])
        #expect(redactor.removed(from: [UInt8]()) == [])
        redactor.learn("abc")
        #expect(redactor.removed(from: "abc") == "abc")
    }

    @Test("Earlier tokens are still found after the token changes")
    func changed() {
        redactor.learn("another-t0ken")
        #expect(redactor.removed(from: "\(Self.secret) another-t0ken") == "REDACTED REDACTED")
    }
}
