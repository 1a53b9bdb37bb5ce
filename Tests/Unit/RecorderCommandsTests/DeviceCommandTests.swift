import Foundation
import RecorderTestSupport
import Testing

/// The tool on a device that has a certificate and no keys.
@Suite(.timeLimit(.minutes(10))) struct DeviceCommandTests {
    private let device: CertifiedDevice
    private let service: AcceptingService
    private let tool: Tool

    init() async throws {
        device = try await CertifiedDevice()
        service = try AcceptingService()
        var tool = try Tool(to: service.url)
        tool.environment["AWS_ACCESS_KEY_ID"] = nil
        tool.environment["AWS_SECRET_ACCESS_KEY"] = nil
        tool.environment.merge(device.environment) { $1 }
        tool.environment["AWS_CA_BUNDLE"] = device.authority.certificate
        self.tool = tool
    }

    @Test func `it delivers, and the doctor names the provider of the keys`() async throws {
        let saved = try await tool.run("save", "app", "--submit", input: Data("a\n".utf8))
        #expect(saved.status == 0, "\(saved)")
        #expect(service.payloads == [Data("a".utf8)])
        let doctor = try await tool.run("doctor")
        #expect(doctor.out.contains("ok    credentials found (AWS IoT), temporary, valid until 20"), "\(doctor.out)")
    }

    @Test func `without the endpoint, or with a revoked certificate, the records stay and the error says why`()
        async throws
    {
        device.provider(.isDown)
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let down = try await tool.run("submit")
        #expect(down.status == 75 && down.err.contains("AWS IoT credentials provider"), "\(down)")
        try device.revoke()
        let revoked = try await tool.run("submit")
        #expect(revoked.status == 77 && revoked.err.contains("is revoked, inactive, expired"), "\(revoked)")
        let doctor = try await tool.run("doctor")
        #expect(doctor.out.contains("FAIL  credentials AWS IoT credentials provider: 127.0.0.1:"), "\(doctor.out)")
        #expect(!doctor.out.contains("Set AWS_ACCESS_KEY_ID"), "\(doctor.out)")
        #expect(service.payloads.isEmpty)
        #expect(try await tool.run("status").out.contains("1 record"))
    }

    @Test(arguments: [429, 500, 503])
    func `while the provider is busy or fails, the exit status asks to try later`(status: Int) async throws {
        device.provider(.refuses(status, "Try again"))
        _ = try await tool.run("save", "app", input: Data("a\n".utf8))
        let busy = try await tool.run("submit")
        #expect(busy.status == 75 && busy.err.contains("Try again (HTTP \(status))"), "\(busy)")
    }

    @Test func `a setting that is wrong is named, with its remedy`() async throws {
        var wrong = tool
        wrong.environment["AWS_IOT_CORE_CREDENTIAL_ENDPOINT"] = "a1-ats.iot.eu-west-1.amazonaws.com"
        let endpoint = try await wrong.run("doctor", "--offline")
        #expect(endpoint.status == 78, "\(endpoint)")
        #expect(endpoint.out.contains("AWS_IOT_CORE_CREDENTIAL_ENDPOINT is \"a1-ats.iot.eu-west-1.amazonaws.com\""))
        wrong.environment["AWS_MAX_ATTEMPTS"] = "many"
        let attempts = try await wrong.run("doctor", "--offline")
        #expect(attempts.status == 78 && attempts.out.contains("AWS_MAX_ATTEMPTS is \"many\": use"), "\(attempts)")
    }
}
