import Model
import Services
import Synchronization
import TestSupport
import Testing

@Suite("Secrets that another answer has told")
struct SecretMemoryTests {
    /// What is said of the last of these answers, which come one after the other.
    private func message(_ answers: [HTTPResponse], recorder: Recorder? = nil) async throws -> String {
        let rest = Mutex(answers[...])
        let transport = HTTPTransport { _ in try #require(rest.withLock { $0.popFirst() }) }
        let secrets = recorder?.secrets ?? SecretMemory()
        let users = UsersService.live(
            transport: transport.recorded(by: recorder) { $0 },
            settings: UpstreamSettings(url: api, pageSize: 2), secrets: secrets, now: { now })
        for _ in answers.dropLast() { _ = try? await users.fetchPage(PageRequest(number: 1)) }
        let error = await #expect(throws: UpstreamError.self) {
            try await users.fetchPage(PageRequest(number: 1))
        }
        return try #require(error).failure.message
    }

    private static func answer(_ status: Int, _ body: String, _ headers: HTTPHeaders = [:]) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    private static let echo = answer(500, #"{"error": "stale Canary-0f-zug"}"#)

    @Test(
        "are in no message",
        arguments: [
            answer(200, "[]", ["Set-Cookie": "zug=Canary-0f-zug; Path=/"]),
            answer(401, #"{"error": "no", "token": "Canary-0f-zug"}"#),
        ])
    func messages(first: HTTPResponse) async throws {
        let message = try await message([first, Self.echo])
        #expect(message.contains("stale redacted"), "\(message)")
    }

    @Test("beside their names are in no message of the same answer")
    func same() async throws {
        let message = try await message([
            Self.answer(401, #"{"token": "Abc123def456", "error": "nobody has Abc123def456"}"#)
        ])
        #expect(message.contains("nobody has redacted"), "\(message)")
    }

    @Test("in users are in no message while answers are recorded")
    func recorded() async throws {
        let recorder = Recorder(
            session: .init(version: "1", settings: [:]), now: { now }, monotonic: { .zero })
        let user = #"{"results": [{"name": {"last": "Ann"}, "login": {"password": "Canary-0f-zug"}}]}"#
        let message = try await message([Self.answer(200, user), Self.echo], recorder: recorder)
        #expect(message.contains("stale redacted"), "\(message)")
    }
}
