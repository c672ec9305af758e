import Foundation
import Glibc
import Model
import TestSupport
import Testing
import UserdAPI
import Varlink

/// Clients that connect and send nothing.
private final class SilentCrowd: Sendable {
    private let descriptors: [Int32]

    /// Connects from several threads at once.
    init(_ count: Int, at path: String) async throws {
        let address = try #require(UnixSocketPath(path))
        descriptors = try await withThrowingTaskGroup(of: [Int32].self) { group in
            let threads = 8
            for thread in 0..<threads {
                group.addTask {
                    try await onThread {
                        try (0..<(count + thread) / threads).map { _ in
                            let descriptor = socket(
                                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
                            guard address.withAddress({ connect(descriptor, $0, $1) }) == 0 else {
                                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
                            }
                            return descriptor
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    var count: Int { descriptors.count }

    /// How many connections the daemon has closed. These get the end of the stream, and no byte.
    var closed: Int {
        descriptors.count { descriptor in
            var byte: UInt8 = 0
            return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }
    }
}

@Suite("Storms of connections", .timeLimit(.hang))
struct StormTests {
    @Test(
        "Of thousands of connections those past the limit are refused, status is answered, and all recovers"
    )
    func storm() async throws {
        try raiseDescriptorLimit(to: 2 * Volume.connections)
        try await onMachine { machine in
            let userd = try await machine.startUserd()
            #expect(try await machine.sync(.users).phase == .loaded)
            let before = try descriptors(of: userd.id)
            do {
                let crowd = try await SilentCrowd(Volume.connections, at: machine.socket)
                let kept = 256 + 16
                // Connections in the listener's queue have not been refused yet.
                try await wait { crowd.closed >= crowd.count - kept }
                #expect(crowd.closed == crowd.count - kept)
                #expect(try descriptors(of: userd.id) <= before + kept)

                let status = try await machine.userctl(["status"])
                #expect(status.code == 0, "\(status.errors)")
                #expect(status.output.contains("loaded"))
            }
            try await wait { try descriptors(of: userd.id) <= before }
            #expect(try await machine.users().count == 20)
            let refusals = userd.text(.errors).split(separator: "\n")
                .filter { $0.contains("warning") && $0.contains("Refused a connection") }
            #expect(!refusals.isEmpty && refusals.count < 10, "as many lines as connections")
        }
    }

    @Test("With few descriptors userd limits connections with a warning, and serves despite a crowd")
    func fewDescriptors() async throws {
        try await onMachine { machine in
            let userd = try machine.start(
                "/usr/bin/prlimit", ["--nofile=120", Program.userd.path] + machine.arguments())
            try await userd.line(containing: "Listening")
            let warning = try await userd.line(containing: "LimitNOFILE=")
            #expect(warning.contains("connections="))
            do {
                let crowd = try await SilentCrowd(200, at: machine.socket)
                #expect(try await machine.userctl(["status"]).code == 0)
                withExtendedLifetime(crowd) {}
            }
            // The cache and the upstream had descriptors left.
            try await wait { try descriptors(of: userd.id) < 96 }
            #expect(try await machine.userctl(["sync", "--wait"]).code == 0)
        }
    }
}
