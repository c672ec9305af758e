import Foundation
import HTTP
import Model
import Testing

@Suite("HAR files from browsers")
struct BrowserHARTests {
    private func recording(_ har: String) throws -> Recording { try Recording(har: Array(har.utf8)) }

    @Test("Chromium's HAR is read: its own members, HTTP/2, text and base64")
    func chromium() throws {
        let recording = try recording(chromiumHAR)
        #expect(recording.session == nil)
        let urls = recording.exchanges.map(\.url.absoluteString)
        #expect(
            urls == [
                "https://catfact.ninja/facts?limit=2", "https://randomuser.me/api/portraits/thumb/men/1.jpg",
                "https://randomuser.me/api/", "https://gone.example/", "https://bad.example/",
                "https://left.example/", "https://cut.example/",
            ])
        guard case .answer(let facts) = recording.exchanges[0].outcome,
            case .answer(let picture) = recording.exchanges[1].outcome
        else { throw Unexpected() }
        #expect(facts.status == 200)
        #expect(
            String(decoding: facts.body, as: UTF8.self) == #"{"data":[{"fact":"Cats “purr”.","length":12}]}"#)
        #expect(facts.headers["Content-Type"] == "application/json")
        #expect(facts.headers.fields.map(\.name) == ["content-encoding", "content-type"])
        #expect(picture.body == [0xFF, 0xD8, 0xFF, 0xE0])
        #expect(recording.exchanges[0].began == Timestamp(rfc3339: "2026-01-02T03:04:05.123Z"))
        #expect(recording.exchanges[0].took == .microseconds(123_457))
        #expect(recording.exchanges[0].requestHeaders.fields.map(\.name) == ["accept"])
    }

    @Test("Errors in Chromium's HAR are failures, or missing answers if Chromium itself was the cause")
    func chromiumErrors() throws {
        let outcomes = try recording(chromiumHAR).exchanges.map(\.outcome)
        #expect(outcomes[2] == .missing("the body is not in the file"))
        func kind(_ outcome: Recording.Outcome) -> Failure.Kind? {
            if case .failure(let error, _) = outcome { error.failure.kind } else { nil }
        }
        #expect(outcomes[3...].map(kind) == [.offline, .tls, nil, .offline])
        #expect(outcomes[5] == .missing("the browser reported net::ERR_ABORTED"))
    }

    @Test("Firefox's HAR is read: times with an offset, entries out of order, bodies that were not kept")
    func firefox() throws {
        let exchanges = try recording("\u{FEFF}" + firefoxHAR).exchanges
        #expect(
            exchanges.map(\.began.description) == [
                "2026-01-02T03:04:05.100Z", "2026-01-02T03:04:05.100Z", "2026-01-02T03:04:05.200Z",
                "2026-01-02T03:04:06.000Z",
            ])
        #expect(exchanges[0].outcome == .missing("there was no answer"))
        #expect(exchanges[0].took == .zero)
        guard case .answer(let redirect) = exchanges[1].outcome,
            case .answer(let users) = exchanges[2].outcome
        else { throw Unexpected() }
        #expect(redirect == HTTPResponse(status: 302, headers: ["Location": "https://randomuser.me/api/"]))
        #expect(users.headers["ETag"] == "\"1\"")
        #expect(users.body == Array(#"{"results":[]}"#.utf8))
        #expect(
            exchanges[3].outcome
                == .missing("the body is not in the file: Response bodies are not included."))
    }

    @Test("HAR 1.1, and a file without a version, are read", arguments: [#""version":"1.1","#, ""])
    func older(version: String) throws {
        let har = #"{"log":{\#(version)"entries":[]}}"#
        #expect(try recording(har) == Recording(exchanges: []))
    }

    /// The outcome of one exchange with this response.
    private func outcome(_ response: String) throws -> Recording.Outcome? {
        try recording(
            #"{"log":{"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","#
                + #""request":{"method":"GET","url":"http://a.example/"},"response":\#(response)}]}}"#
        ).exchanges.first?.outcome
    }

    @Test("The target of a redirect is read from the answer if the browser left it out of the headers")
    func redirect() throws {
        let members = #""content":{"size":0},"redirectURL":"/there""#
        #expect(
            try outcome(#"{"status":302,\#(members)}"#)
                == .answer(HTTPResponse(status: 302, headers: ["Location": "/there"])))
        let headers = #""headers":[{"name":"location","value":"/here"}]"#
        #expect(
            try outcome(#"{"status":302,\#(headers),\#(members)}"#)
                == .answer(HTTPResponse(status: 302, headers: ["location": "/here"])))
        #expect(try outcome(#"{"status":200,\#(members)}"#) == .answer(HTTPResponse(status: 200)))
    }

    @Test(
        "A browser's error gets the kind of failure that fits",
        arguments: [
            ("net::ERR_HTTP2_PROTOCOL_ERROR", .http), ("net::ERR_EMPTY_RESPONSE", .http),
            ("net::ERR_CONNECTION_TIMED_OUT", .timeout), ("net::ERR_TOO_MANY_REDIRECTS", .redirect),
            ("net::ERR_SSL_PROTOCOL_ERROR", .tls), ("net::ERR_CONNECTION_REFUSED", .offline),
        ] as [(String, Failure.Kind)])
    func failures(name: String, kind: Failure.Kind) throws {
        guard case .failure(let error, _) = try outcome(#"{"status":0,"_error":"\#(name)"}"#) else {
            throw Unexpected()
        }
        #expect(error.failure.kind == kind)
        #expect(error.failure.message == "the browser reported \(name)")
    }

    private struct Unexpected: Error {}
}

/// A HAR file of Chromium's DevTools.
private let chromiumHAR = #"""
    {
      "log": {
        "version": "1.2",
        "creator": { "name": "WebInspector", "version": "537.36" },
        "pages": [
          {
            "startedDateTime": "2026-01-02T03:04:05.000Z", "id": "page_1", "title": "https://catfact.ninja/",
            "pageTimings": { "onContentLoad": 203.1, "onLoad": -1 }
          }
        ],
        "entries": [
          {
            "_connectionId": "1041",
            "_initiator": { "type": "script", "stack": { "callFrames": [], "parent": { "callFrames": [] } } },
            "_priority": "High", "_resourceType": "fetch", "cache": {}, "connection": "443", "pageref": "page_1",
            "request": {
              "method": "GET", "url": "https://catfact.ninja/facts?limit=2", "httpVersion": "h2",
              "headers": [
                { "name": ":authority", "value": "catfact.ninja" }, { "name": ":method", "value": "GET" },
                { "name": "accept", "value": "*/*" }
              ],
              "queryString": [ { "name": "limit", "value": "2" } ], "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "h2",
              "headers": [
                { "name": "content-encoding", "value": "gzip" }, { "name": "content-type", "value": "application/json" }
              ],
              "cookies": [
                {
                  "name": "s", "value": "1", "path": "/", "domain": "catfact.ninja",
                  "expires": "2026-02-02T03:04:05.000Z", "httpOnly": true, "secure": true, "sameSite": "Lax"
                }
              ],
              "content": {
                "size": 47, "mimeType": "application/json",
                "text": "{\"data\":[{\"fact\":\"Cats \u201cpurr\u201d.\",\"length\":12}]}"
              },
              "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 612, "_error": null,
              "_fetchedViaServiceWorker": false
            },
            "serverIPAddress": "104.21.0.1", "startedDateTime": "2026-01-02T03:04:05.123Z",
            "time": 123.45670000067912,
            "timings": {
              "blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 100.2, "receive": 21.6,
              "_blocked_queueing": 1.1, "_workerStart": -1
            }
          },
          {
            "_fromCache": "memory", "_resourceType": "image", "cache": {},
            "request": {
              "method": "GET", "url": "https://randomuser.me/api/portraits/thumb/men/1.jpg", "httpVersion": "h3",
              "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0
            },
            "response": {
              "status": 200, "statusText": "", "httpVersion": "h3", "headers": [], "cookies": [],
              "content": { "size": 4, "mimeType": "image/jpeg", "text": "/9j/4A==", "encoding": "base64" },
              "redirectURL": "", "headersSize": -1, "bodySize": 0, "_transferSize": 0, "_error": null
            },
            "startedDateTime": "2026-01-02T03:04:05.200Z", "time": 0.0,
            "timings": { "blocked": -1, "send": 0, "wait": 0, "receive": 0 }
          },
          {
            "request": { "method": "GET", "url": "https://randomuser.me/api/" },
            "response": {
              "status": 200, "headers": [], "content": { "size": 812, "mimeType": "application/json" },
              "redirectURL": "", "bodySize": -1, "_error": null
            },
            "startedDateTime": "2026-01-02T03:04:05.300Z", "time": 5
          },
          {
            "request": { "method": "GET", "url": "https://gone.example/", "httpVersion": "", "headers": [] },
            "response": {
              "status": 0, "statusText": "", "httpVersion": "", "headers": [],
              "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1,
              "_transferSize": 0, "_error": "net::ERR_NAME_NOT_RESOLVED"
            },
            "startedDateTime": "2026-01-02T03:04:05.400Z", "time": 1
          },
          {
            "request": { "method": "GET", "url": "https://bad.example/" },
            "response": { "status": 0, "_error": "net::ERR_CERT_DATE_INVALID" },
            "startedDateTime": "2026-01-02T03:04:05.500Z", "time": 1
          },
          {
            "request": { "method": "GET", "url": "https://left.example/" },
            "response": { "status": 0, "_error": "net::ERR_ABORTED" },
            "startedDateTime": "2026-01-02T03:04:05.600Z", "time": 1
          },
          {
            "request": { "method": "GET", "url": "https://cut.example/" },
            "response": {
              "status": 200, "headers": [], "content": { "size": 2, "text": "{\"" },
              "_error": "net::ERR_CONTENT_LENGTH_MISMATCH"
            },
            "startedDateTime": "2026-01-02T03:04:05.700Z", "time": 1
          },
          {
            "_webSocketMessages": [ { "type": "send", "time": 1.5, "opcode": 1, "data": "hello" } ],
            "request": { "method": "GET", "url": "wss://catfact.ninja/live" },
            "response": { "status": 101 }, "startedDateTime": "2026-01-02T03:04:05.800Z", "time": 1
          }
        ]
      }
    }
    """#

/// A HAR file of Firefox's network monitor.
private let firefoxHAR = #"""
    {
      "log": {
        "version": "1.2",
        "creator": { "name": "Firefox", "version": "146.0" },
        "browser": { "name": "Firefox", "version": "146.0" },
        "pages": [
          {
            "id": "page_1", "pageTimings": { "onContentLoad": 120, "onLoad": 340 },
            "startedDateTime": "2026-01-02T04:04:05.000+01:00", "title": "randomuser.me"
          }
        ],
        "entries": [
          {
            "startedDateTime": "2026-01-02T04:04:06.000+01:00",
            "request": {
              "bodySize": 0, "method": "GET", "url": "https://randomuser.me/photos.json", "httpVersion": "HTTP/2",
              "headers": [ { "name": "Host", "value": "randomuser.me" } ], "cookies": [], "queryString": [],
              "headersSize": 391
            },
            "response": {
              "status": 200, "statusText": "OK", "httpVersion": "HTTP/2", "headers": [], "cookies": [],
              "content": {
                "mimeType": "application/json; charset=utf-8", "size": 4711,
                "comment": "Response bodies are not included."
              },
              "redirectURL": "", "headersSize": 0, "bodySize": 901
            },
            "cache": {}, "timings": { "blocked": 0, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 84, "receive": 0 },
            "time": 84, "_securityState": "secure", "serverIPAddress": "104.21.0.1", "connection": "443",
            "pageref": "page_1"
          },
          {
            "startedDateTime": "2026-01-02T04:04:05.100+01:00",
            "request": {
              "bodySize": 0, "method": "GET", "url": "https://tracker.example/", "httpVersion": "", "headers": [],
              "cookies": [], "queryString": [], "headersSize": 0
            },
            "response": {
              "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
              "content": { "mimeType": "", "size": 0, "text": "" }, "redirectURL": "", "headersSize": -1,
              "bodySize": -1
            },
            "cache": {}, "timings": {}, "time": -1, "pageref": "page_1"
          },
          {
            "startedDateTime": "2026-01-01T22:04:05.100-05:00",
            "request": {
              "bodySize": 0, "method": "GET", "url": "https://randomuser.me/api", "httpVersion": "HTTP/2",
              "headers": [], "cookies": [], "queryString": [], "headersSize": 300
            },
            "response": {
              "status": 302, "statusText": "Found", "httpVersion": "HTTP/2",
              "headers": [ { "name": "Location", "value": "https://randomuser.me/api/" } ], "cookies": [],
              "content": { "mimeType": "text/html", "size": -1 }, "redirectURL": "https://randomuser.me/api/",
              "headersSize": 200, "bodySize": 14
            },
            "cache": { "afterRequest": null }, "timings": {}, "time": 0
          },
          {
            "startedDateTime": "2026-01-02T04:04:05.200+01:00",
            "request": {
              "bodySize": 0, "method": "GET", "url": "https://randomuser.me/api/", "httpVersion": "HTTP/2",
              "headers": [], "cookies": [], "queryString": [], "headersSize": 300
            },
            "response": {
              "status": 200, "statusText": "OK", "httpVersion": "HTTP/2",
              "headers": [
                { "name": "etag", "value": "\"1\"" }, { "name": "content-encoding", "value": "br" },
                { "name": "set-cookie", "value": "a=1\nb=2" }
              ],
              "cookies": [ { "name": "a", "value": "1" } ],
              "content": {
                "mimeType": "application/json", "size": 14, "encoding": "base64", "text": "eyJyZXN1bHRzIjpbXX0="
              },
              "redirectURL": "", "headersSize": 431, "bodySize": 445
            },
            "cache": {}, "timings": {}, "time": 20
          }
        ]
      }
    }
    """#
