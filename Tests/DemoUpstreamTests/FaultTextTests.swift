import DemoUpstream
import Testing

@Suite struct FaultTextTests {
    @Test(
        arguments: [
            ("delay,milliseconds=5", Fault(.delay(milliseconds: 5))),
            ("stall,path=/api", Fault(.stall, path: "/api")),
            ("status,status=503", Fault(.status(503))),
            (
                "status,status=503,retry_after=120,body=a=b,path=/facts,times=2",
                Fault(.status(503, retryAfter: "120", body: "a=b"), path: "/facts", times: 2)
            ),
            ("truncate", Fault(.truncate)),
            ("reset", Fault(.reset)),
            ("html", Fault(.rubbish(.html))),
            ("bytes", Fault(.rubbish(.bytes))),
            ("empty", Fault(.empty)),
            ("gzip", Fault(.gzip)),
            ("gzip_bomb", Fault(.gzipBomb)),
            ("etag", Fault(.etag)),
            ("last_modified", Fault(.lastModified)),
            ("down", Fault(.down)),
            ("error", Fault(.errorBody(.documented))),
            ("rate_limit", Fault(.errorBody(.rateLimit))),
            ("slow,bytes_per_second=10", Fault(.slow(bytesPerSecond: 10))),
            ("redirect,location=http://h/?a=b", Fault(.redirect(location: "http://h/?a=b"))),
            ("redirect,location=/,status=307", Fault(.redirect(location: "/", status: 307))),
            ("endless", Fault(.endless)),
            ("last_page_grows", Fault(.lastPageGrows)),
            ("ignores_page", Fault(.ignoresPage)),
            ("short_page,times=1,after=3", Fault(.shortPage, times: 1, after: 3)),
            ("large_total", Fault(.largeTotal)),
            ("beyond", Fault(.beyond(status: 0))),
            ("beyond,status=404", Fault(.beyond(status: 404))),
            ("error_after_records", Fault(.errorBody(.afterRecords))),
        ])
    func aFaultIsReadFromItsText(text: String, fault: Fault) throws {
        #expect(try Fault(text: text) == fault)
    }

    @Test(arguments: ["nix", "", "stall,path=api"])
    func aBadFaultIsRefusedWithThoseThereAre(text: String) {
        let error = #expect(throws: DemoError.self) { try Fault(text: text) }
        #expect(error?.description.hasPrefix("\(text) is not a fault; they are delay,") == true)
    }
}
