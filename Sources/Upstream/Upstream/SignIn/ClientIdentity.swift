import FoundationEssentials
import HTTP
import Model

/// How an OAuth client tells an authorization server who it is (RFC 6749, section 2.3).
package struct ClientIdentity: Sendable {
    package enum Method: String, Hashable, Sendable, CaseIterable {
        /// RFC 6749, section 2.3.1: in the header Authorization, or in the body.
        case basic, post
    }

    let id: String
    /// Nil for a public client, which has none. Read for each request.
    let secret: (@Sendable () throws -> String)?
    let method: Method
    /// Whether it comes with userd. Then it uses no device codes: people can be led to enter those of somebody else.
    let isBuiltIn: Bool

    /// - Parameter secret: messages contain what it throws.
    package init(
        id: String, secret: (@Sendable () throws -> String)? = nil, method: Method = .basic,
        isBuiltIn: Bool = false
    ) {
        self.id = id
        self.secret = secret
        self.method = method
        self.isBuiltIn = isBuiltIn
    }
}

extension HTTPRequest {
    /// A form for an endpoint of an authorization server, with the client's id and secret. Throws what
    /// reading the secret throws.
    init(
        form fields: [(String, String)], to url: URL, from client: ClientIdentity, redactor: SecretRedactor
    ) throws {
        var form = fields
        var headers: HTTPHeaders = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let secret = try client.secret?() {
            redactor.learn(secret)
            redactor.learn(formEncoded(secret))
            switch client.method {
            case .basic:
                let pair = "\(formEncoded(client.id)):\(formEncoded(secret))"
                headers["Authorization"] = "Basic \(Data(pair.utf8).base64EncodedString())"
            case .post:
                form += [("client_id", client.id), ("client_secret", secret)]
            }
        } else {
            form.append(("client_id", client.id))
        }
        let body = form.map { "\(formEncoded($0))=\(formEncoded($1))" }.joined(separator: "&")
        self.init(url: url, headers: headers, body: Array(body.utf8), maximumBodyBytes: 1 << 20)
    }
}

/// Encodes a text for a form (WHATWG URL, application/x-www-form-urlencoded).
private func formEncoded(_ text: String) -> String {
    text.percentEncoded { isUnreserved($0) || $0 == UInt8(ascii: " ") }
        .replacing(" ", with: "+")
}
