import FoundationEssentials
import HTTP
import Model

extension PicturesService {
    /// Pictures over HTTP, without credentials. An answer that is not an image is a `decode` failure, and a 304 to an
    /// unconditional request an `http` failure.
    ///
    /// - Parameters:
    ///   - upstream: the address that names the pictures' addresses, to which the rule of redirects applies.
    ///   - recorder: records each exchange; nil for no recording.
    package static func live(
        transport: HTTPTransport, upstream: URL, rule: RedirectRule = RedirectRule(),
        maximumBytes: Int = 2 << 20, redactor: SecretRedactor = SecretRedactor(),
        recorder: Recorder? = nil,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> PicturesService {
        PicturesService { address, known in
            guard let url = URL(httpAddress: address) else {
                throw UpstreamError(.decode, "the address of a picture is not a valid http or https address")
            }
            guard await rule.allows(url, from: upstream) else {
                throw UpstreamError(
                    .redirect,
                    "\(upstream.shown) names a picture at \(url.shown), on this machine or in a private network"
                )
            }
            var request = HTTPRequest(
                url: url, headers: ["Accept": "image/*"], maximumBodyBytes: maximumBytes)
            if let known { request.headers.setConditions(known) }
            return try await recorded(by: recorder, reading: .picture) {
                try await withRedactedMessages(redactor) {
                    let response = try await transport.send(request)
                    if response.status == 304, known != nil { return .unchanged }
                    return .picture(try picture(response, from: response.url ?? url, redactor, now: now()))
                }
            }
        }
    }

    private static func picture(
        _ response: HTTPResponse, from url: URL, _ redactor: SecretRedactor, now: Timestamp
    ) throws -> FetchedPicture {
        let complaint = response.plainText.map { UpstreamComplaint(text: redactor.removed(from: $0)) }
        let isSuccess = 200...299 ~= response.status
        if let failure = response.failure(from: url, complaint: isSuccess ? nil : complaint, now: now) {
            throw failure
        }
        let type = (response.headers["Content-Type"] ?? "").prefix { $0 != ";" }
        let contentType = String(type).trimmingBlanks().asciiLowercased
        guard contentType.hasPrefix("image/"), contentType.utf8.count <= 100, !response.body.isEmpty
        else {
            let shown = redactor.removed(from: contentType).shown(upTo: 100)
            throw UpstreamError(.decode, "\(url.shown) is not a picture but '\(shown)'")
        }
        return FetchedPicture(
            content: response.body, contentType: contentType, validators: Validators(response))
    }
}
