extension Dialogue {
    /// Length and depth: at the limits and far beyond.
    static let limits: [Dialogue] = [
        depth(32, "[", "]"),
        depth(32, #"{"a":"#, "}"),
        .closes("arrays of depth 33 close", deep(33, "[", "]")),
        .closes("objects of depth 33 close", deep(33, #"{"a":"#, "}")),
        .closes("depth 33 closes in an extension too", call("Echo", #","x.y":\#(nest(32, "[", "1", "]"))"#)),
        .closes("a depth of 100,000 arrays closes", deep(100_000, "[", "]")),
        .closes("a depth of 100,000 objects closes", deep(100_000, #"{"a":"#, "}")),
        .closes("100,000 brackets without an end close", String(repeating: "[", count: 100_000)),
        .closes("100,000 braces without an end close", String(repeating: #"{"a":"#, count: 100_000)),

        .init("a message of 1 MiB is answered", padded(to: 1 << 20), reply()),
        .closes("a message of 1 MiB and a byte closes", padded(to: 1 << 20 + 1)),
        .init("a message of 1 MiB waits for its NUL", bytes: spaces(1 << 20), [], .unfinished),
        .init("a message of 1 MiB and a byte closes before its NUL", bytes: spaces(1 << 20 + 1), [], .closed),
        .init(
            "a call is answered before one that is too long",
            bytes: Array(call("Echo").utf8) + [0] + spaces(1 << 20 + 1), [reply()], .closed),
        .init(
            "a string of 100,000 bytes is answered", echo(#"{"string":"\#(long)"}"#),
            reply(#"{"string":"\#(long)"}"#)),
        .init(
            "an array of 10,000 ints is answered", echo(#"{"list":[\#(ones)]}"#),
            reply(#"{"list":[\#(ones)]}"#)),
        .init(
            "10,000 different names are answered", echo(#"{"map":{\#(names)}}"#),
            reply(#"{"map":{\#(names)}}"#)),
        .closes("a repeated name among 10,000 closes", echo(#"{"map":{\#(names),"n0":1}}"#)),
        .init(
            "the first of 10,000 undeclared parameters is named", echo("{\(names)}"),
            refusal("InvalidParameter", "parameter", "n0")),
        .init(
            "an error repeats 1024 bytes of a parameter's name of 100,000 bytes", echo(#"{"\#(long)":1}"#),
            refusal("InvalidParameter", "parameter", String(long.prefix(1024)))),
        .init(
            "an error repeats 1024 bytes of a method's name of 100,000 bytes", #"{"method":"\#(long)"}"#,
            refusal("MethodNotFound", "method", String(long.prefix(1024)))),
        .init(
            "the repeated part of a name ends with a whole character", #"{"method":"x\#(wide)"}"#,
            refusal("MethodNotFound", "method", "x" + String(wide.prefix(511)))),
        .init(
            "a thousand calls in one write are answered",
            bytes: Array(repeatElement(Array(call("Echo").utf8) + [0], count: 1_000).joined()),
            Array(repeating: reply(), count: 1_000), .open),
        .init("100,000 NULs close", bytes: [UInt8](repeating: 0, count: 100_000), [], .closed),
        .init(
            "100,000 bytes 0xFF close", bytes: [UInt8](repeating: 0xFF, count: 100_000) + [0], [], .closed),
    ]

    private static let long = String(repeating: "x", count: 100_000)
    private static let wide = String(repeating: "é", count: 50_000)
    private static let ones = Array(repeating: "1", count: 10_000).joined(separator: ",")
    private static let names = (0..<10_000).map { #""n\#($0)":1"# }.joined(separator: ",")

    private static func spaces(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    private static func padded(to length: Int) -> String {
        let message = call("Echo")
        return message + String(repeating: " ", count: length - message.utf8.count)
    }

    private static func nest(_ count: Int, _ open: String, _ value: String, _ close: String) -> String {
        String(repeating: open, count: count) + value + String(repeating: close, count: count)
    }

    /// Counts the message, its parameters and the object in them as three levels.
    private static func deep(_ depth: Int, _ open: String, _ close: String) -> String {
        echo(#"{"object":{"a":\#(nest(depth - 3, open, "1", close))}}"#)
    }

    private static func depth(_ depth: Int, _ open: String, _ close: String) -> Dialogue {
        .init(
            "a depth of \(depth) \(open) is answered", deep(depth, open, close),
            reply(#"{"object":{"a":\#(nest(depth - 3, open, "1", close))}}"#))
    }
}
