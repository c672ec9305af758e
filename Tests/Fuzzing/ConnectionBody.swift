import StrictJSON
import Varlink

/// Small limits, so that a fuzzer reaches them.
private let (maximumLength, maximumDepth) = (256, 6)

func checkConnection(_ input: [UInt8]) throws(BrokenInvariant) {
    let messages = expectedMessages(input)
    let events = try conversation([input[...]])
    for size in [1, 2, 7, 100] where size < input.count {
        let parts = stride(from: 0, to: input.count, by: size).map { input[$0...].prefix(size) }
        try require(frames(parts) == messages, "messages in parts of \(size)")
        try require(try conversation(parts) == events, "events in parts of \(size)")
    }
    try require(frames([input[...]]) == messages, "messages in one part")
}

// MARK: - Frames

private struct Frames: Equatable {
    var messages: [[UInt8]] = []
    /// The length of the unfinished message; nil if a message exceeded the limit.
    var rest: Int?
}

/// The messages that framing must find, computed in a simple way.
private func expectedMessages(_ input: [UInt8]) -> Frames {
    let all = input.split(separator: 0, omittingEmptySubsequences: false)
    let short = all.prefix { $0.count <= maximumLength }
    guard short.count == all.count else { return Frames(messages: short.map(Array.init)) }
    return Frames(messages: all.dropLast().map(Array.init), rest: all.last?.count)
}

/// The messages that the decoder finds; nil if it then holds more than the limit.
private func frames(_ parts: [ArraySlice<UInt8>]) -> Frames? {
    var decoder = FrameDecoder(maximumLength: maximumLength)
    var frames = Frames()
    for part in parts {
        decoder.append(part)
        do {
            while let frame = try decoder.next() { frames.messages.append(Array(frame)) }
        } catch {
            return frames
        }
        guard decoder.count <= maximumLength else { return nil }
    }
    frames.rest = decoder.count
    return frames
}

// MARK: - Calls

private enum Event: Equatable {
    case action(ServerConnection.Action)
    case replied([UInt8])
}

/// The actions of a connection, up to its end. The last byte of a call's method decides how it is answered.
private func conversation(_ parts: [ArraySlice<UInt8>]) throws(BrokenInvariant) -> [Event] {
    var connection = ServerConnection(maximumLength: maximumLength, maximumDepth: maximumDepth)
    var events: [Event] = []
    for part in parts {
        connection.received(part)
        try run(&connection, &events)
    }
    connection.inputEnded()
    try run(&connection, &events)
    let closes = events.count { if case .action(.close) = $0 { true } else { false } }
    try require(closes == 1, "\(closes) ends")
    guard case .action(.close) = events.last else { throw BrokenInvariant(description: "not closed at last") }
    return events
}

private func run(_ connection: inout ServerConnection, _ events: inout [Event]) throws(BrokenInvariant) {
    while let action = connection.nextAction() {
        events.append(.action(action))
        switch action {
        case .write(let bytes):
            try requireReply(bytes, continues: false)
        case .close(let violation):
            if let violation { try requirePrintable(violation.description) }
            try require(!connection.wantsInput, "more input is wanted after the end")
        case .start(let call):
            try require(connection.currentCall == call, "another call runs")
            try require(connection.nextAction() == nil, "something happens while a call runs")
            for bytes in try answer(call, of: &connection) { events.append(.replied(bytes)) }
            try require(connection.currentCall == nil, "the call still runs")
        }
    }
}

private func answer(
    _ call: MethodCall, of connection: inout ServerConnection
) throws(BrokenInvariant) -> [[UInt8]] {
    let reply = Reply(parameters: call.parameters, continues: true)
    let replies =
        switch (call.method.utf8.last ?? 0) % 4 {
        case 0: [connection.replied(Reply(parameters: call.parameters))]
        case 1: [connection.failed(VarlinkError(name: call.method, parameters: call.parameters))]
        case 2: [connection.failed(nil)]
        default:
            call.more
                ? [connection.replied(reply), connection.replied(reply), connection.replied(Reply())]
                : [connection.replied(reply)]
        }
    for bytes in replies where !bytes.isEmpty {
        try require(!call.oneway, "a reply to a oneway call")
        try requireReply(bytes, continues: call.more)
    }
    return replies
}

/// - Parameter continues: whether the reply may have `continues`.
private func requireReply(_ bytes: [UInt8], continues: Bool) throws(BrokenInvariant) {
    try require(bytes.firstIndex(of: 0) == bytes.count - 1, "no reply with its NUL")
    guard let value = try? JSONValue(validating: bytes.dropLast(), maximumDepth: maximumDepth),
        let members = value.members
    else { throw BrokenInvariant(description: "a reply that is no object") }
    let kinds = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    try require(Set(kinds.keys).isSubset(of: ["parameters", "error", "continues"]), "another member")
    try require(kinds["parameters"]?.kind == .object, "parameters that are no object")
    try require(kinds["error"].map { $0.kind == .string } ?? true, "an error that is no string")
    if let flag = kinds["continues"] {
        try require(flag.bool == true && continues && kinds["error"] == nil, "continues that may not")
    }
}
