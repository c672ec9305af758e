import Varlink

/// A connection without a socket, whose calls a service answers at once.
struct Conversation {
    private(set) var connection: ServerConnection
    private(set) var output: [UInt8] = []
    private(set) var isClosed = false
    private let service: VarlinkService

    init(with service: VarlinkService) {
        connection = ServerConnection()
        self.service = service
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) async {
        connection.received(bytes)
        await run()
    }

    mutating func endInput() async {
        connection.inputEnded()
        await run()
    }

    private mutating func run() async {
        while let action = connection.nextAction() {
            switch action {
            case .start(let call): await answer(call)
            case .write(let bytes): output += bytes
            case .close: isClosed = true
            }
        }
    }

    private mutating func answer(_ call: MethodCall) async {
        do {
            switch try await service.answer(call) {
            case .single(let parameters):
                output += connection.replied(Reply(parameters: parameters))
            case .stream(let stream):
                while connection.currentCall != nil {
                    guard let reply = try await stream.next() else {
                        output += connection.failed(nil)
                        return
                    }
                    output += connection.replied(reply)
                }
            }
        } catch {
            output += connection.failed(error as? VarlinkError)
        }
    }
}

extension VarlinkService {
    func answer(_ call: MethodCall) async throws -> Answer {
        switch try start(call) {
        case .answered(let parameters): .single(parameters)
        case .pending(let answer): try await answer()
        }
    }
}
