import FoundationEssentials
import Model

extension PicturesService {
    /// Pictures over HTTP, with no credentials. An answer that is no image is a `decode` failure, and a 304 to who knew
    /// nothing an `http` one.
    ///
    /// - Parameters:
    ///   - upstream: who names the pictures' addresses, and is not let name those of internal hosts unless it is one.
    ///   - maximumBytes: of one picture.
    package static func live(
        transport: HTTPTransport, upstream: URL, maximumBytes: Int = 2 << 20,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) -> PicturesService {
        PicturesService { address, known in
            guard let url = URL(httpAddress: address) else {
                throw UpstreamError(
                    .decode, "not an address of a picture: \(Redaction().redacted(address).shown(upTo: 100))")
            }
            guard HTTPOrigin(upstream).isInternal || !HTTPOrigin(url).isInternal else {
                throw UpstreamError(
                    .redirect,
                    "\(upstream.shown) names a picture at \(url.shown), on this machine or in a private network"
                )
            }
            var request = HTTPRequest(
                url: url, headers: ["Accept": "image/*"], maximumBodyBytes: maximumBytes)
            if let known { request.headers.setConditions(known) }
            let response = try await transport.send(request)
            if response.status == 304, known != nil { return .unchanged }
            let redaction = Redaction(of: request, .answer(response))
            let complaint = response.plainText.map { UpstreamComplaint(text: redaction.redacted($0)) }
            let isSuccess = 200...299 ~= response.status
            if let failure = response.failure(from: url, complaint: isSuccess ? nil : complaint, now: now()) {
                throw failure
            }
            let type = (response.headers["Content-Type"] ?? "").prefix { $0 != ";" }
            let contentType = String(type).trimmingBlanks().asciiLowercased
            guard contentType.hasPrefix("image/"), contentType.utf8.count <= 100, !response.body.isEmpty
            else {
                throw UpstreamError(
                    .decode,
                    "\(url.shown) is no picture but '\(redaction.redacted(contentType).shown(upTo: 100))'"
                )
            }
            return .picture(
                FetchedPicture(
                    content: response.body, contentType: contentType, validators: Validators(response)))
        }
    }
}
