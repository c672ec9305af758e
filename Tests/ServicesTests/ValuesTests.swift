import Foundation
import HTTP
import Model
import Testing
import Upstream

@Suite("Mock services")
struct MockTests {
    @Test("Mock services answer with samples")
    func data() async throws {
        let users = try await UsersService.mock().fetchPage(.first)
        #expect(users == Page(records: User.samples, total: User.samples.count))
        #expect(try await FactsService.mock().fetchPage(.first).records == NewFact.samples)
    }

    @Test("The mock gives another fact each time, in turn")
    func turns() async throws {
        let facts = FactsService.mock()
        for fact in NewFact.samples + NewFact.samples { #expect(try await facts.fetchOne() == fact) }
    }

    @Test(
        "The mock has portraits in each size, except at the addresses of the user without pictures"
    )
    func pictures() async throws {
        let pictures = PicturesService.mock()
        var missing: [String] = []
        for user in User.samples {
            for size in PictureSize.allCases {
                guard let url = user.picture?[size] else { continue }
                do {
                    #expect(try await pictures.fetch(url, nil) == .picture(.sample(size)))
                } catch let error as UpstreamError {
                    #expect(error.failure.httpStatus == 404 && error.failure.message.contains("mock"))
                    missing.append(user.id)
                }
            }
        }
        #expect(missing == Array(repeating: "sample-unpictured", count: 3))
        #expect(Set(PictureSize.allCases.map { FetchedPicture.sample($0).content }).count == 3)
        await #expect(throws: UpstreamError.self) { try await pictures.fetch("https://a.example/1", nil) }
    }

    @Test("Samples have different ids")
    func samples() {
        #expect(Set(User.samples.map(\.id)).count == User.samples.count)
        #expect(Set(NewFact.samples.map(\.id)).count == NewFact.samples.count)
    }

    @Test("Mock services can be empty")
    func empty() async throws {
        #expect(try await UsersService.mock(.empty).fetchPage(.first) == Page(records: [], total: 0))
        #expect(try await FactsService.mock(.empty).fetchPage(.first) == Page(records: [], total: 0))
        #expect(try await thrown { try await FactsService.mock(.empty).fetchOne() }.failure.kind == .decode)
        #expect(
            try await thrown {
                try await PicturesService.mock(.empty).fetch(
                    try #require(User.samples[0].picture?.large), nil)
            }.failure.httpStatus == 404)
    }

    @Test("Mock services can fail")
    func error() async throws {
        #expect(
            try await thrown { try await UsersService.mock(.error).fetchPage(.first) }.failure.kind
                == .offline)
    }

    @Test("Mock services can hang until they are cancelled")
    func hang() async throws {
        let task = Task { try await UsersService.mock(.hang).fetchPage(.first) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}

@Suite("Deadlines")
struct DeadlineTests {
    @Test("A deadline ends a slow request as a timeout that has the limit")
    func timeout() async throws {
        let hanging = HTTPTransport { _ in
            while true { try await Task.sleep(for: .seconds(60)) }
        }
        let error = try await thrown {
            try await hanging.within(.milliseconds(10)).send(HTTPRequest(url: api))
        }
        #expect(error.failure.kind == .timeout)
        #expect(
            error.failure.message == "https://users.example/api/ has not answered in full after 0.01 seconds")
    }

    @Test(
        "A timeout says how much of the answer had arrived, and from which address",
        arguments: [
            (.nothing, "its headers had not arrived"),
            (.body(bytes: 7, of: nil), "headers and 7 bytes of the body had arrived"),
            (.body(bytes: 7, of: 9), "headers and 7 of 9 bytes of the body had arrived"),
        ] as [(AnswerProgress, String)])
    func progress(progress: AnswerProgress, far: String) async throws {
        let other = URL(string: "https://other.example/")!
        let hanging = endingWhenCancelled { throw AnswerCutOff(url: other, progress: progress) }
        let error = try await thrown {
            try await hanging.within(.milliseconds(10)).send(HTTPRequest(url: api))
        }
        #expect(error.failure.kind == .timeout)
        #expect(
            error.failure.message
                == "https://other.example/ has not answered in full after 0.01 seconds: \(far)")
    }

    @Test("A failure or an answer at the moment of the deadline takes precedence")
    func lastWord() async throws {
        let failing = endingWhenCancelled { throw UpstreamError(.tls, "no trusted connection") }
        let error = try await thrown {
            try await failing.within(.milliseconds(10)).send(HTTPRequest(url: api))
        }
        #expect(error.failure.kind == .tls)
        let answering = endingWhenCancelled { HTTPResponse(status: 204) }
        #expect(try await answering.within(.milliseconds(10)).send(HTTPRequest(url: api)).status == 204)
    }

    @Test("A caller's cancellation is not a timeout")
    func stopped() async throws {
        let hanging = endingWhenCancelled { throw AnswerCutOff(url: api, progress: .nothing) }
        let task = Task { try await hanging.within(.seconds(60)).send(HTTPRequest(url: api)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private func endingWhenCancelled(
        _ end: @escaping @Sendable () throws -> HTTPResponse
    ) -> HTTPTransport {
        HTTPTransport { _ in
            try? await Task.sleep(for: .seconds(86_400))
            return try end()
        }
    }

    @Test("A deadline does not affect an answer in time")
    func inTime() async throws {
        let response = try await Stub("x").transport.within(.seconds(60)).send(HTTPRequest(url: api))
        #expect(response.body == Array("x".utf8))
    }
}

@Suite("Headers")
struct HTTPHeadersTests {
    @Test("Headers are found and replaced without regard to case, and keep their order")
    func fields() {
        var headers: HTTPHeaders = ["A": "1", "b": "2", "a": "3"]
        #expect(headers["a"] == "1")
        headers["B"] = nil
        #expect(headers.fields.map(\.name) == ["A", "a"])
        headers["a"] = "4"
        #expect(headers == ["a": "4"])
        #expect(headers["ä"] == nil)
    }
}
