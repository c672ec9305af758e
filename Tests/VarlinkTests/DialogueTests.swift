import TestSupport
import Testing
import Varlink
import VarlinkFixtures

/// The table of dialogues against the protocol alone, without a socket.
@Suite struct DialogueTests {
    private let service: VarlinkService

    init() throws {
        service = try DialogueService.make()
    }

    /// The conversation after receiving the parts one after the other.
    private func conversation(_ parts: some Sequence<ArraySlice<UInt8>>) async -> Conversation {
        var conversation = Conversation(with: service)
        for part in parts { await conversation.receive(part) }
        return conversation
    }

    private func expect(_ conversation: Conversation, is dialogue: Dialogue, _ how: String) {
        let wanted = (dialogue.output, dialogue.end == .closed, dialogue.end == .unfinished)
        let got = (
            conversation.output, conversation.isClosed, conversation.connection.begunMessage != nil
        )
        guard got != wanted else { return }
        Issue.record(
            """
            \(dialogue.name), \(how): \(String(decoding: got.0.prefix(2_000), as: UTF8.self).debugDescription), \
            closed: \(got.1), unfinished: \(got.2)
            """)
    }

    @Test("Each dialogue matches the table, and ends when the client stops sending")
    func whole() async {
        for dialogue in Dialogue.all {
            var conversation = await conversation([dialogue.input[...]])
            expect(conversation, is: dialogue, "whole")
            await conversation.endInput()
            #expect(conversation.output == dialogue.output && conversation.isClosed, "\(dialogue)")
        }
    }

    @Test("Each dialogue has a unique name")
    func names() {
        let names = Dictionary(grouping: Dialogue.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.isEmpty)
    }

    @Test("A dialogue gives the same result with its input split at any byte, and byte by byte")
    func split() async {
        for dialogue in Dialogue.all where !dialogue.isLong {
            let input = dialogue.input
            for index in input.indices.dropFirst() {
                expect(
                    await conversation([input[..<index], input[index...]]), is: dialogue, "split at \(index)")
            }
            expect(await conversation(parts(of: input) { 1 }), is: dialogue, "byte by byte")
        }
    }

    @Test("A long dialogue gives the same result with its input in pieces as from a socket")
    func pieces() async {
        for dialogue in Dialogue.all where dialogue.isLong {
            expect(await conversation(parts(of: dialogue.input) { 4_099 }), is: dialogue, "in pieces")
        }
    }

    @Test(
        "Hundreds of dialogues on one connection give the same results as each one alone, in any order",
        arguments: 0..<10)
    func joined(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        let short = Dialogue.all.filter { !$0.isLong }
        var dialogues = (0..<400).map { _ in short.filter { $0.end == .open }.randomElement(using: &random)! }
        dialogues.append(short.filter { $0.end == .closed }.randomElement(using: &random)!)
        let input = dialogues.flatMap(\.input)
        let all = Dialogue(
            "dialogues of seed \(seed)", bytes: input, output: dialogues.flatMap(\.output), .closed)
        expect(await conversation([input[...]]), is: all, "whole")
        let largest = Int.random(in: 1...3_000, using: &random)
        expect(
            await conversation(parts(of: input) { Int.random(in: 1...largest, using: &random) }), is: all,
            "in pieces of up to \(largest)")
    }

    private func parts(of bytes: [UInt8], size: () -> Int) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            parts.append(rest.prefix(size()))
            rest = rest.dropFirst(parts.last?.count ?? 0)
        }
        return parts
    }
}
