import DemoUpstream
import Foundation
import Testing

@Suite struct PortraitTests {
    @Test(arguments: [("", 128), ("med/", 72), ("thumb/", 48)])
    func aPortraitIsAPNGOfItsSize(folder: String, side: Int) async throws {
        try await withDemoUpstream { upstream in
            let response = try await upstream.get("/portraits/\(folder)women/42.png")
            #expect(response.header("content-type") == "image/png")
            let chunks = try chunks(of: response.body)
            #expect(chunks.map(\.type) == ["IHDR", "PLTE", "IDAT", "IEND"])
            #expect(Array(chunks[0].data) == [0, 0, 0, UInt8(side), 0, 0, 0, UInt8(side), 2, 3, 0, 0, 0])
            #expect(chunks[1].data.count == 12)
        }
    }

    @Test func thePixelsAreAValidZlibStreamOfAllFourColours() async throws {
        try await withDemoUpstream { upstream in
            let body = try await upstream.get("/portraits/men/7.png").body
            let zlib = Array(try chunks(of: body)[2].data)
            let rows = Array(zlib[7..<zlib.count - 4])
            #expect((Int(zlib[0]) << 8 | Int(zlib[1])) % 31 == 0)
            #expect(zlib[2] == 1)
            #expect(Int(zlib[3]) | Int(zlib[4]) << 8 == rows.count)
            #expect(zlib[5] == ~zlib[3] && zlib[6] == ~zlib[4])
            #expect(rows.count == 128 * 33)
            let a = rows.reduce(1) { ($0 + Int($1)) % 65521 }
            let b = rows.reduce((1, 0)) { (($0.0 + Int($1)) % 65521, ($0.1 + $0.0 + Int($1)) % 65521) }.1
            #expect(zlib.suffix(4).reduce(0) { $0 << 8 | Int($1) } == b << 16 | a)
            #expect(stride(from: 0, to: rows.count, by: 33).allSatisfy { rows[$0] == 0 })
            let colours = Set(rows.flatMap { byte in [0, 2, 4, 6].map { byte >> $0 & 3 } })
            #expect(colours == [0, 1, 2, 3])
        }
    }

    @Test func theSamePathGivesTheSameBytesAndAnotherOneOthers() async throws {
        try await withDemoUpstream { upstream in
            let first = try await upstream.get("/portraits/men/7.png").body
            #expect(try await upstream.get("/portraits/men/7.png").body == first)
            #expect(try await upstream.get("/portraits/men/8.png").body != first)
            #expect(try await upstream.get("/portraits/women/7.png").body != first)
        }
    }

    @Test(
        arguments: [
            "men/100.png", "men/-1.png", "men/07.png", "men/+7.png", "men/7.jpg", "dogs/7.png", "men/x/7.png",
            "men/", "7.png",
        ])
    func whatIsNoPortraitIsNotFound(path: String) async throws {
        try await withDemoUpstream { upstream in
            let status = try await upstream.get("/portraits/\(path)").status
            #expect(status == 404)
        }
    }

    @Test func thePicturesOfAUserAreThere() async throws {
        try await withDemoUpstream { upstream in
            let person = try await upstream.get("/api/?seed=s").people[0]
            for size in ["large", "medium", "thumbnail"] {
                let url = try #require(member(person, "picture.\(size)") as? String)
                #expect(try await upstream.get(String(url.dropFirst(upstream.url().count))).status == 200)
            }
        }
    }

    /// The chunks, each with its checksum proven.
    private func chunks(of png: Data) throws -> [(type: String, data: Data)] {
        #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        var chunks: [(String, Data)] = []
        var rest = Array(png.dropFirst(8))
        while rest.count >= 12 {
            let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            try #require(rest.count >= count + 12)
            let checked = rest[4..<8 + count]
            let checksum = rest[(8 + count)..<(12 + count)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            #expect(crc32(checked) == checksum)
            chunks.append((String(decoding: checked.prefix(4), as: UTF8.self), Data(checked.dropFirst(4))))
            rest.removeFirst(12 + count)
        }
        #expect(rest.isEmpty)
        return chunks
    }

    private func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { register, byte in
            (0..<8).reduce(register ^ UInt32(byte)) { value, _ in
                value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0)
            }
        }
    }
}
