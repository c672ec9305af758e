import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite("Names of hosts", .timeLimit(.hang))
struct NameLookupTests {
    @Test("that have an address are not at fault")
    func known() async {
        #expect(await nameFault(of: "localhost", within: .seconds(30)) == nil)
    }

    @Test("lead nowhere because nobody has them, because nobody knows, or for another reason")
    func codes() async {
        for (code, fault, words) in [
            (EAI_NONAME, .unknownHost, "there is no host of this name"),
            (-5, .unknownHost, "there is no host of this name"),
            (EAI_AGAIN, .noNameServer, "no name server answered"),
            (
                EAI_FAIL, .other("non-recoverable failure in name resolution"),
                "its name cannot be resolved: non-recoverable failure in name resolution"
            ),
        ] as [(CInt, NameFault, String)] {
            let found = await nameFault(of: "a.example", within: .seconds(30)) { _ in code }
            #expect(found == fault && found?.description == words)
        }
        #expect(NameFault(code: nil).description == "its name cannot be resolved")
    }

    @Test("have their addresses as text, and none where they can't be found")
    func text() async {
        let found = await textAddresses(of: "localhost", within: .seconds(30))
        #expect(!found.isEmpty && found.allSatisfy { $0 == "::1" || $0.hasPrefix("127.") })
        #expect(await textAddresses(of: "host.invalid", within: .seconds(30)) == [])
    }

    @Test("are not waited for longer than that")
    func late() async {
        let end = DispatchSemaphore(value: 0)
        let fault = await nameFault(of: "a.example", within: .milliseconds(10)) { _ in
            end.wait()
            return 0
        }
        end.signal()
        #expect(fault == .noNameServer)
    }

    @Test("are left alone when nobody wants to know any more")
    func cancelled() async {
        let end = DispatchSemaphore(value: 0)
        let task = Task {
            await nameFault(of: "a.example", within: .seconds(3600)) { _ in
                end.wait()
                return 0
            }
        }
        task.cancel()
        #expect(await task.value == nil)
        end.signal()
    }
}
