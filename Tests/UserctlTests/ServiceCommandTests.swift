import TestSupport
import Testing

/// Tests the commands of `userctl service` with fake systemctl programs.
@Suite struct ServiceCommandTests {
    private static let shown = """
        Id=userd.socket\\nLoadState=loaded\\nActiveState=ACTIVE\\nUnitFileState=enabled\\n\\n\
        Id=userd.service\\nLoadState=loaded\\nActiveState=inactive\\nUnitFileState=enabled\\n
        """

    private func service(_ arguments: String..., systemctl: String?) async throws -> Ended {
        let programs = try FakePrograms(systemctl.map { ["systemctl": $0] } ?? [:])
        return await userctl(["service"] + arguments, environment: programs.environment)
    }

    @Test(
        "The exit code of service status says whether userd is available",
        arguments: [
            ("active", 0), ("inactive", 69), ("failed", 69),
        ] as [(String, Int32)])
    func code(active: String, code: Int32) async throws {
        let script = "printf '\(Self.shown.replacing("ACTIVE", with: active))'"
        let table = try await service("status", systemctl: script)
        #expect(table.code == code)
        #expect(table.output.contains("State    \(active)"))
        #expect(table.errors.isEmpty == (code == 0))
        let json = try await service("status", "--output", "json", systemctl: script)
        #expect(json.code == code)
        #expect(json.output.hasPrefix(#"{"linger":"#))
        #expect(
            json.output.contains(
                #""active":"\#(active)","enabled":"enabled","load":"loaded","name":"userd.socket""#))
    }

    @Test("With a listening socket and a crashing service, service status exits with 69 and the reason")
    func loop() async throws {
        let shown = Self.shown.replacing("ACTIVE", with: "active").replacing(
            "ActiveState=inactive",
            with:
                "ActiveState=activating\\nSubState=auto-restart\\nNRestarts=3\\nStatusText=failed: no cache"
        )
        let status = try await service("status", systemctl: "printf '\(shown)'")
        #expect(status.code == 69)
        #expect(
            status.errors.hasPrefix(
                "userctl: userd crashes again and again (restarted 3 times): no cache\nuserctl: "))
        #expect(status.errors.contains("`userctl service enable`"))
    }

    @Test(
        "Without systemctl, each service command exits with 69", arguments: ["enable", "disable", "status"])
    func nobody(command: String) async throws {
        let ended = try await service(command, systemctl: nil)
        #expect(ended.code == 69)
        #expect(
            ended.errors.hasPrefix(
                "userctl: systemctl is not installed: this machine does not run systemd\nuserctl: run "))
    }
}
