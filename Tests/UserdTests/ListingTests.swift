import Cache
import Model
import Synchronization
import TestSupport
import Testing
import UserdAPI
import Varlink

@testable import Daemon

@Suite(.timeLimit(.hang)) struct ListingTests {
    private func people(_ keys: some Sequence<Int>) -> [User] {
        keys.enumerated().map { number, key in
            var user = User(id: "u\(number)", name: User.Name(first: "Ada", last: "N\(key)"))
            user.email = "\(key)@example.org"
            user.age = key
            return user
        }
    }

    @Test(
        "A list that a sync reverses between two replies still has each user once",
        arguments: UserOrder.allCases, [false, true])
    func turned(order: UserOrder, descending: Bool) async throws {
        try await Daemon.with(upstream: .init(users: people(10..<22))) { daemon in
            let parameters = ListUsers(order: order, descending: descending, limit: 5)
            let whole = try await daemon.call(
                .listUsers, ListUsers(order: order, descending: descending)
            ).users.map(\.id)
            let answer = try await daemon.service.handler().handle(
                MethodCall(method: "io.userd.ListUsers", parameters: try encoded(parameters), more: true))
            guard case .stream(let replies) = answer else {
                Issue.record("no stream")
                return
            }
            var seen: [User] = []
            for last in [21, 110, 30] {
                let reply = try #require(try await replies.next())
                let page = try decoded(UserList.self, from: reply.parameters)
                seen += page.users
                #expect(page.total == 12 && reply.continues == (seen.count < 12))
                let turned = people((0..<12).map { last - $0 })
                daemon.upstream.withLock { $0.users = turned }
                _ = try await daemon.call(.sync, Sync(resources: [.users], wait: true))
            }
            #expect(seen.map(\.id) == whole)
        }
    }
}
