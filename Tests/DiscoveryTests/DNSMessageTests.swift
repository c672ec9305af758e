import TestSupport
import Testing

@testable import Upstream

@Suite("Answers of name servers")
struct DNSMessageTests {
    private func name(_ labels: String) -> [UInt8] {
        labels.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    /// A message with one question, for `d.test`, and records whose names point to it.
    private func message(_ records: [(type: UInt8, data: [UInt8])]) -> [UInt8] {
        let head: [UInt8] = [0, 1, 0x81, 0x80, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
        let answers = records.map { record -> [UInt8] in
            [0xC0, 12, 0, record.type, 0, 1, 0, 0, 0, 60, 0, UInt8(record.data.count)] + record.data
        }
        return head + name("d.test") + [0, 1, 0, 1] + answers.flatMap(\.self)
    }

    private func answers(_ bytes: [UInt8], _ kind: DNSRecord.Kind) throws -> [DNSRecord] {
        var message = try DNSMessage(bytes)
        return try message.answers(kind)
    }

    @Test("Services, mail hosts and aliases are read, in lower case and with names that go on earlier")
    func records() throws {
        let bytes = message([
            (33, [0, 5, 0, 1, 0x01, 0x85] + name("DC1.d.test")),
            (15, [0, 10, 2] + Array("mx".utf8) + [0xC0, 12]),
            (5, name("a.example")), (1, [127, 0, 0, 1]),
        ])
        #expect(
            try answers(bytes, .service) == [
                .service(.init(host: "dc1.d.test", port: 389, priority: 5, weight: 1))
            ])
        #expect(try answers(bytes, .mail) == [.mail(host: "mx.d.test", preference: 10)])
        #expect(try answers(bytes, .alias) == [.alias("a.example")])
    }

    @Test("Names that no host has are left out")
    func names() throws {
        let odd = [3] + Array("a/b".utf8) + [4] + Array("test".utf8) + [0]
        #expect(try answers(message([(5, odd), (5, [0])]), .alias) == [])
        // Of a dot within a label.
        #expect(try answers(message([(5, [3] + Array("a.b".utf8) + [0])]), .alias) == [])
    }

    @Test("A message that is cut off, or whose names lead in circles, is refused")
    func rubbish() throws {
        let whole = message([(33, [0, 5, 0, 1, 0x01, 0x85] + name("dc1.d.test"))])
        for length in 0..<whole.count {
            #expect(throws: DNSMistake.self) { try answers(Array(whole.prefix(length)), .service) }
        }
        let own = UInt8(message([(5, [])]).count)
        #expect(throws: DNSMistake.self) { try answers(message([(5, [0xC0, own])]), .alias) }
        #expect(throws: DNSMistake.self) { try answers(message([(5, [0xC0, 200])]), .alias) }
        var random = SeededRandom(seed: 7)
        for _ in 0..<2000 {
            let bytes = (0..<60).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = try? answers(bytes, .service)
        }
    }
}
