import HTTP
import Model
import Upstream

package typealias HTTPStub = Stub<HTTPRequest, HTTPResponse>
package typealias UsersStub = Stub<PageRequest, Page<User>>
package typealias FactsStub = Stub<PageRequest, Page<NewFact>>
package typealias OneFactStub = Stub<Void, NewFact>
/// The input is a picture's address.
package typealias PictureStub = Stub<String, PictureAnswer>

extension HTTPTransport {
    package init(_ stub: HTTPStub) { self.init(send: stub.call) }
}

extension UsersService {
    package init(_ stub: UsersStub) { self.init { page, _ in try await stub.call(page) } }
}

extension FactsService {
    package init(_ pages: FactsStub, one: OneFactStub) {
        self.init(fetchPage: { page, _ in try await pages.call(page) }, fetchOne: { try await one.call(()) })
    }
}

extension PicturesService {
    package init(_ stub: PictureStub) {
        self.init { url, _ in try await stub.call(url) }
    }
}
