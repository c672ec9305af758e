import Dispatch
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing
import VarlinkServer

@Suite(.timeLimit(.hang)) struct AnswerTests {
    @Test("The server answers once its event loop runs, and not while it hangs")
    func answers() async throws {
        let directory = try TemporaryDirectory()
        let server = try makeServer(Backstage())
        try await running(server, at: directory.file("s")) { _ in
            try await server.answer()
            let isReleased = Atomic(false)
            let release = DispatchSemaphore(value: 0)
            let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
            for loop in loops { loop.execute { release.wait() } }
            let asked = Channel<Void>()
            async let answered = {
                asked.send(())
                try await server.answer()
                return isReleased.load(ordering: .sequentiallyConsistent)
            }()
            try await asked.receive()
            for _ in 0..<1000 { await Task.yield() }
            isReleased.store(true, ordering: .sequentiallyConsistent)
            for _ in loops { release.signal() }
            #expect(try await answered)
        }
    }
}
