import NIOCore
import NIOHTTP1

extension Reply {
    /// The reply of a fault that does not depend on the request; nil for other kinds.
    init?(outcome: Fault.Kind) {
        switch outcome {
        case .status(let code, let retryAfter, let body):
            self.init(HTTPResponseStatus(statusCode: code), .json)
            if let retryAfter { headers.add(name: "retry-after", value: retryAfter) }
            if let body {
                self.body = Body(body)
            } else {
                self.body = Body(#"{"message":"\#(status.reasonPhrase)","code":\#(code)}"#)
            }
        case .errorBody(let body) where body != .afterRecords:
            self.init(HTTPResponseStatus(statusCode: body.status), .json, Body(body.json))
        case .redirect(let location, let code):
            self.init(HTTPResponseStatus(statusCode: code), ["location": location])
        case .rubbish:
            self.init(
                .ok, ["content-type": "text/html; charset=utf-8"],
                Body("<!DOCTYPE html>\n<title>Sign in</title>\n<p>Sign in to use this network.\n"))
        case .endless:
            self.init(.ok, .json, .endless())
        default:
            return nil
        }
    }

    static func gzipBomb() -> Reply {
        var bomb = GzipBomb()
        return Reply(
            .ok, ["content-type": "application/json", "content-encoding": "gzip"], Body { bomb.next() })
    }
}
