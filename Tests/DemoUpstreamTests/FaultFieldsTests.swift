import DemoUpstream
import Testing

@Suite struct FaultFieldsTests {
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
            ("rubbish", Fault(.rubbish(.html))),
            ("rubbish,what=bytes", Fault(.rubbish(.bytes))),
            ("empty", Fault(.empty)),
            ("gzip", Fault(.gzip)),
            ("gzip_bomb", Fault(.gzipBomb)),
            ("etag", Fault(.etag)),
            ("last_modified", Fault(.lastModified)),
            ("down", Fault(.down)),
            ("error_body", Fault(.errorBody(.documented))),
            ("error_body,what=rate_limit", Fault(.errorBody(.rateLimit))),
            ("slow,bytes_per_second=10", Fault(.slow(bytesPerSecond: 10))),
            ("redirect,location=http://h/?a=b", Fault(.redirect(location: "http://h/?a=b"))),
            ("redirect,location=/,status=307", Fault(.redirect(location: "/", status: 307))),
            ("endless", Fault(.endless)),
            ("last_page_grows", Fault(.lastPageGrows)),
            ("ignores_page", Fault(.ignoresPage)),
            ("short_page,times=1,after=3", Fault(.shortPage, times: 1, after: 3)),
            ("large_total", Fault(.largeTotal)),
            ("error_body,what=after_records", Fault(.errorBody(.afterRecords))),
        ])
    func eachFaultCanBeWrittenAndReadBack(short: String, fault: Fault) throws {
        #expect(try FaultFields(short: short).fault() == fault)
        #expect(try FaultFields(fault).fault() == fault)
    }

    @Test(
        arguments: [
            ("nix", "fault: unknown name nix; the faults are delay,"),
            ("", "fault: unknown name ;"),
            ("stall,path", "fault: path is not of the form key=value"),
            ("stall,path=api", "fault: path must begin with a slash, not be api"),
            ("stall,what=html", "fault: stall has no field what"),
            ("stall,after=-1", "fault: after must be a number from 0 to 1000000, not -1"),
            ("stall,times=0", "fault: times must be a number from 1 to 1000000, not 0"),
            ("delay", "fault: delay needs milliseconds, a number"),
            ("delay,milliseconds=-1", "fault: milliseconds must be a number from 0 to 3600000, not -1"),
            ("status,status=100", "fault: status must be a number from 200 to 599, not 100"),
            ("rubbish,what=x", "fault: what must be html or bytes, not x"),
            ("redirect", "fault: redirect needs a location"),
            (
                "redirect,location=/\r\nx: y",
                "fault: location is sent as a header and must not contain control"
            ),
            ("down,times=1", "fault: down has neither path, times nor after"),
        ])
    func aBadFaultIsRefusedWithTheReason(short: String, reason: String) {
        let error = #expect(throws: ControlError.self) { try FaultFields(short: short).fault() }
        #expect(error?.description.hasPrefix(reason) == true, "\(error?.description ?? "")")
    }
}
