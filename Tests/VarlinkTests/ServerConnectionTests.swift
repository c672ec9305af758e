import Testing
import Varlink

/// The table of dialogues has the replies to calls, byte by byte; these tests are about the states in
/// between.
@Suite struct ServerConnectionTests {
    @Test("A message over the limit closes the connection before its end arrives, with a reason")
    func tooLong() {
        var connection = ServerConnection(maximumLength: 10)
        connection.received([UInt8](repeating: 0x20, count: 10))
        #expect(connection.nextAction() == nil)
        connection.received([0x20])
        guard case .close(let violation?) = connection.nextAction() else {
            Issue.record("not closed")
            return
        }
        #expect(violation.description == "a message is longer than 10 bytes")
        #expect(connection.nextAction() == nil)
    }

    @Test("Calls wait for the last reply to the running one")
    func order() throws {
        var connection = ServerConnection()
        connection.received(
            Array("{\"method\":\"a.B\",\"more\":true}\0{\"method\":\"a.C\"}\0nonsense\0".utf8))
        #expect(connection.nextAction() == .start(MethodCall(method: "a.B", more: true)))
        #expect(connection.nextAction() == nil)
        #expect(!connection.replied(Reply(continues: true)).isEmpty)
        #expect(connection.nextAction() == nil)
        #expect(connection.currentCall?.method == "a.B")
        #expect(!connection.replied(Reply()).isEmpty)
        #expect(connection.nextAction() == .start(MethodCall(method: "a.C")))
        #expect(connection.nextAction() == nil)
        #expect(!connection.replied(Reply()).isEmpty)
        guard case .close(.some) = connection.nextAction() else {
            Issue.record("not closed after the pending reply")
            return
        }
    }

    @Test("A peer that stops sending gets its pending replies before the end")
    func halfClose() {
        var connection = ServerConnection()
        connection.received(Array("{\"method\":\"a.B\"}\0{\"method\":\"a.C\"}\0{\"meth".utf8))
        connection.inputEnded()
        #expect(!connection.wantsInput)
        #expect(connection.nextAction() == .start(MethodCall(method: "a.B")))
        #expect(connection.nextAction() == nil)
        #expect(!connection.replied(Reply()).isEmpty)
        #expect(connection.nextAction() == .start(MethodCall(method: "a.C")))
        #expect(!connection.replied(Reply()).isEmpty)
        #expect(connection.nextAction() == .close(nil))
        #expect(connection.nextAction() == nil)
    }

    @Test("While a call runs, only a bounded part of the input is read ahead")
    func readAhead() {
        var connection = ServerConnection()
        #expect(connection.wantsInput)
        connection.received(Array("{\"method\":\"a.B\"}\0".utf8))
        #expect(connection.nextAction() != nil)
        #expect(connection.wantsInput)
        connection.received([UInt8](repeating: 0x20, count: ServerConnection.readAhead))
        #expect(!connection.wantsInput)
        _ = connection.replied(Reply())
        #expect(connection.nextAction() == nil)
        #expect(connection.wantsInput)
    }

    @Test("An incomplete message keeps its number until it ends")
    func begunMessage() {
        var connection = ServerConnection()
        #expect(connection.begunMessage == nil)
        connection.received(Array("{".utf8))
        #expect(connection.nextAction() == nil)
        let first = connection.begunMessage
        #expect(first != nil)
        connection.received(Array("\"method\":".utf8))
        #expect(connection.nextAction() == nil)
        #expect(connection.begunMessage == first)
        connection.received(Array("\"a.B\"}\0{".utf8))
        #expect(connection.nextAction() != nil)
        #expect(connection.begunMessage == nil)
        _ = connection.replied(Reply())
        #expect(connection.nextAction() == nil)
        #expect(connection.begunMessage != nil)
        #expect(connection.begunMessage != first)
        connection.inputEnded()
        #expect(connection.begunMessage == nil)
    }

    @Test("Draining lets the running call end and drops the others")
    func drain() {
        var connection = ServerConnection()
        connection.received(Array("{\"method\":\"a.B\"}\0{\"method\":\"a.C\"}\0".utf8))
        #expect(connection.nextAction() != nil)
        connection.drain()
        connection.received(Array("{\"method\":\"a.D\"}\0".utf8))
        #expect(connection.nextAction() == nil)
        #expect(!connection.replied(Reply()).isEmpty)
        #expect(connection.nextAction() == .close(nil))
    }

    @Test("After a peer disconnects, only its oneway calls run")
    func disconnected() {
        var connection = ServerConnection()
        connection.received(
            Array(
                "{\"method\":\"a.B\"}\0{\"method\":\"a.C\",\"oneway\":true}\0{\"method\":\"a.D\",\"more\":true}\0"
                    .utf8))
        connection.disconnected()
        #expect(connection.nextAction() == .start(MethodCall(method: "a.C", oneway: true)))
        #expect(connection.replied(Reply()).isEmpty)
        #expect(connection.nextAction() == .close(nil))
    }

    @Test("Replies without a call are dropped")
    func noCall() {
        var connection = ServerConnection()
        #expect(connection.replied(Reply()).isEmpty)
        #expect(connection.failed(.permissionDenied).isEmpty)
        #expect(connection.currentCall == nil)
    }
}
