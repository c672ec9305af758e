import Testing
import Varlink

/// Answers every call at once: with two replies where it may, and with an error where the method's name says so.
private struct Driver {
    var connection = ServerConnection(maximumLength: 200, maximumDepth: 4)
    var transcript: [String] = []

    mutating func run() {
        while let action = connection.nextAction() {
            switch action {
            case .start(let call):
                let parameters = String(decoding: call.parameters, as: UTF8.self)
                let flags = (call.more ? " more" : "") + (call.oneway ? " oneway" : "")
                transcript.append("start \(call.method) \(parameters)\(flags)")
                if call.method.hasSuffix("Fail") {
                    note(connection.failed(.init(name: "a.Failed", parameters: Array(#"{"x":1}"#.utf8))))
                } else if call.method.hasSuffix("Break") {
                    note(connection.failed(nil))
                } else {
                    note(connection.replied(Reply(parameters: Array(#"{"n":1}"#.utf8), continues: true)))
                    if call.more { note(connection.replied(Reply())) }
                }
            case .write(let bytes):
                note(bytes)
            case .close:
                transcript.append("close")
            }
        }
    }

    mutating func note(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        #expect(bytes.last == 0)
        transcript.append("write " + String(decoding: bytes.dropLast(), as: UTF8.self))
    }
}

private let reply = #"write {"parameters":{"n":1}}"#

@Suite struct ServerConnectionTests {
    @Test(
        "Input leads to the same actions however it was split",
        arguments: [
            (#"{"method":"a.B"}"#, ["start a.B {}", reply]),
            (#"{"method":"a.B","parameters":null}"#, ["start a.B {}", reply]),
            (#"{"method":"a.B","parameters":{}}"#, ["start a.B {}", reply]),
            (
                " {\n \"parameters\" : { \"a\" : [ 1 ] } , \"method\" : \"a.\\u0042\" } ",
                [#"start a.B { "a" : [ 1 ] }"#, reply]
            ),
            (#"{"method":"a.B","more":false,"oneway":false,"upgrade":false}"#, ["start a.B {}", reply]),
            (
                #"{"method":"a.B","more":true}"#,
                [
                    "start a.B {} more", #"write {"parameters":{"n":1},"continues":true}"#,
                    #"write {"parameters":{}}"#,
                ]
            ),
            (#"{"method":"a.B","oneway":true}"#, ["start a.B {} oneway"]),
            (#"{"method":"a.Fail","oneway":true}"#, ["start a.Fail {} oneway"]),
            (
                #"{"method":"a.Fail"}"#,
                ["start a.Fail {}", #"write {"error":"a.Failed","parameters":{"x":1}}"#]
            ),
            (
                #"{"method":"a.Fail","more":true}"#,
                ["start a.Fail {} more", #"write {"error":"a.Failed","parameters":{"x":1}}"#]
            ),
            (#"{"method":"a.Break"}"# + "\0" + #"{"method":"a.B"}"#, ["start a.Break {}", "close"]),
            (
                #"{"method":"a.Break","oneway":true}"# + "\0" + #"{"method":"a.B"}"#,
                ["start a.Break {} oneway", "start a.B {}", reply]
            ),
            (
                #"{"method":"a.B","upgrade":true}"# + "\0" + #"{"method":"a.C"}"#,
                [
                    #"write {"error":"org.varlink.service.MethodNotImplemented","parameters":{"method":"a.B"}}"#,
                    "start a.C {}", reply,
                ]
            ),
            (#"{"method":"a.B","com.example.x":{"more":1},"x.":null}"#, ["start a.B {}", reply]),
            (
                #"{"method":"a.B"}"# + "\0" + #"{"method":"a.C"}"#,
                ["start a.B {}", reply, "start a.C {}", reply]
            ),
            (#"{"method":"a.B"}"# + "\0" + "nonsense", ["start a.B {}", reply, "close"]),
            ("nonsense\0" + #"{"method":"a.B"}"#, ["close"]),
        ])
    func fixtures(input: String, expected: [String]) {
        let bytes = Array(input.utf8) + [0]
        for split in bytes.indices {
            var driver = Driver()
            for part in [bytes[..<split], bytes[split...]] {
                driver.connection.received(part)
                driver.run()
            }
            #expect(driver.transcript == expected, "split at \(split)")
        }
        var driver = Driver()
        for byte in bytes {
            driver.connection.received([byte])
            driver.run()
        }
        #expect(driver.transcript == expected, "byte by byte")
    }

    @Test(
        "What is no call closes the connection without a reply",
        arguments: [
            "", " ", "[]", "null", "1", #""a.B""#, "{}", #"{"method":null}"#, #"{"method":1}"#,
            #"{"method":""}"#,
            #"{"parameters":{}}"#, #"{"method":"a.B",}"#, #"{"method":"a.B","method":"a.B"}"#, "\u{feff}{}",
            #"{"method":"a.B","parameters":[]}"#, #"{"method":"a.B","parameters":""}"#,
            #"{"method":"a.B","parameters":{"a":1,"a":2}}"#, #"{"method":"a.B","parameters":{"a":[[[1]]]}}"#,
            #"{"method":"a.B","more":1}"#, #"{"method":"a.B","more":null}"#,
            #"{"method":"a.B","oneway":"true"}"#,
            #"{"method":"a.B","upgrade":{}}"#, #"{"method":"a.B","more":true,"oneway":true}"#,
            #"{"method":"a.B","more":true,"upgrade":true}"#,
            #"{"method":"a.B","oneway":true,"upgrade":true}"#,
            #"{"method":"a.B","unknown":1}"#, #"{"method":"a.B","id":null}"#,
            #"{"method":"a.B","error":"a.C"}"#,
            #"{"method":"a.B"} x"#,
        ])
    func violations(input: String) {
        var driver = Driver()
        driver.connection.received(Array(input.utf8) + [0])
        driver.run()
        #expect(driver.transcript == ["close"])
        #expect(!driver.connection.wantsInput)
    }

    @Test("Invalid UTF-8 closes the connection")
    func invalidUTF8() {
        var driver = Driver()
        driver.connection.received(Array(#"{"method":"a.B"#.utf8) + [0xFF] + Array("\"}\0".utf8))
        driver.run()
        #expect(driver.transcript == ["close"])
    }

    @Test("A message past the limit closes the connection before its end has come, and says why")
    func tooLong() {
        var connection = ServerConnection(maximumLength: 10)
        connection.received([UInt8](repeating: 0x20, count: 10))
        #expect(connection.nextAction() == nil)
        connection.received([0x20])
        guard case .close(let violation?) = connection.nextAction() else {
            Issue.record("not closed")
            return
        }
        #expect(violation.description == "a message of more than 10 bytes")
        #expect(connection.nextAction() == nil)
    }

    @Test("The calls behind one that runs wait for its last reply")
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

    @Test("A peer that sends nothing more gets its pending replies before the end")
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

    @Test("While a call runs, a bounded part of what follows is read ahead")
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

    @Test("A message that has begun keeps its number until it ends")
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

    @Test("Draining lets the call that runs end and forgets the others")
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

    @Test("Of a peer that is gone only the calls that want no reply are run")
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

    @Test("Replies that belong to no call are dropped")
    func noCall() {
        var connection = ServerConnection()
        #expect(connection.replied(Reply()).isEmpty)
        #expect(connection.failed(.permissionDenied).isEmpty)
        #expect(connection.currentCall == nil)
    }
}
