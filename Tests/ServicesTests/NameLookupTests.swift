import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite("Host names", .timeLimit(.hang))
struct NameLookupTests {
    @Test("A name with an address has no fault")
    func known() async throws {
        #expect(try await !addresses(of: "localhost", port: 80, within: .seconds(30)).isEmpty)
    }

    @Test("A fault says whether the name is unknown, no name server answered, or there was another reason")
    func codes() async {
        for (code, fault, words) in [
            (EAI_NONAME, .unknownHost, "no host has this name"),
            (-5, .unknownHost, "no host has this name"),
            (EAI_AGAIN, .noNameServer, "no name server answered"),
            (
                EAI_FAIL, .other("non-recoverable failure in name resolution"),
                "its name cannot be resolved: non-recoverable failure in name resolution"
            ),
        ] as [(CInt, NameFault, String)] {
            let found = await #expect(throws: NameFault.self) {
                try await addresses(of: "a.example", port: 80, within: .seconds(30)) { _, _ in
                    .failure(NameFault(code: Int(code)))
                }
            }
            #expect(found == fault && found?.description == words)
        }
        #expect(NameFault(code: nil).description == "its name cannot be resolved")
    }

    @Test("Addresses are returned as text, and none if they can't be found")
    func text() async {
        let found = await textAddresses(of: "localhost", within: .seconds(30))
        #expect(!found.isEmpty && found.allSatisfy { $0 == "::1" || $0.hasPrefix("127.") })
        #expect(await textAddresses(of: "host.invalid", within: .seconds(30)) == [])
    }

    @Test("A lookup does not take longer than its limit")
    func late() async {
        let end = DispatchSemaphore(value: 0)
        await #expect(throws: NameFault.noNameServer) {
            try await addresses(of: "a.example", port: 80, within: .milliseconds(10)) { _, _ in
                end.wait()
                return .success([])
            }
        }
        end.signal()
    }

    @Test("A lookup ends if its caller is cancelled")
    func cancelled() async throws {
        let end = DispatchSemaphore(value: 0)
        let task = Task {
            try await addresses(of: "a.example", port: 80, within: .seconds(3600)) { _, _ in
                end.wait()
                return .success([])
            }
        }
        task.cancel()
        #expect(try await task.value == [])
        end.signal()
    }
}
