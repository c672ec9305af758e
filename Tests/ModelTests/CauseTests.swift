import Model
import Testing

@Suite struct CauseTests {
    @Test(
        "Each cause is written as its words, and read from them",
        arguments: [
            (.created, "created"), (.due, "due"), (.requested, "requested"), (.retried, "retried"),
            (.failed, "failed"), (.cancelled, "cancelled"), (.interrupted, "interrupted"),
            (.turnedOff, "turned_off"),
            (.committed(), "committed"),
            (.committed(Changes(added: 20)), "committed: 20 added"),
            (.committed(Changes(changed: 1, removed: 3)), "committed: 1 changed, 3 removed"),
            (
                .committed(Changes(added: 2, changed: 1, removed: 3)),
                "committed: 2 added, 1 changed, 3 removed"
            ),
        ] as [(Cause, String)])
    func words(cause: Cause, text: String) {
        #expect(cause.rawValue == text)
        #expect(Cause(rawValue: text) == cause)
    }

    @Test(
        "Other words are not read as a cause",
        arguments: [
            "", "Committed", "committed:", "committed: ", "committed: 3", "committed: x added", "due ",
        ])
    func others(text: String) {
        #expect(Cause(rawValue: text) == nil)
    }
}
