import AWSKinesis
import Foundation
import RecorderAWS
import RecorderHTTP
import RecorderTestSupport
import Testing

/// A device that has a certificate and no keys: it saves, submits, and keeps its records while it gets no keys.
@Suite(.timeLimit(.minutes(10))) struct DeviceTests {
    private let device: CertifiedDevice
    private let kinesis: LocalServer
    private let recorder: AWSKinesisRecorder

    init() async throws {
        device = try await CertifiedDevice()
        kinesis = try LocalServer { request, _ in
            let entries = PutRequestBody(request.body).records.map { _ in #"{"SequenceNumber":"1","ShardId":"s"}"# }
            return Reply.json(200, #"{"FailedRecordCount":0,"Records":[\#(entries.joined(separator: ","))]}"#)
                .encoded(for: request)
        }
        let provider = AWSIoTCredentialsProvider(device.settings, in: device.context())
        CanaryRun.show(provider)
        let configuration = try #require(
            AWSServiceConfiguration(
                region: .USEast1,
                endpoint: AWSEndpoint(urlString: kinesis.url),
                credentialsProvider: provider
            )
        )
        _ = Recorders.path
        let key = UUID().uuidString
        AWSKinesisRecorder.register(with: configuration, forKey: key)
        recorder = try #require(AWSKinesisRecorder(forKey: key))
    }

    /// Saves a record and submits it. Returns the error; nil if it was delivered.
    private func send(_ text: String) async throws -> NSError? {
        _ = try await recorder.saveRecord(Data(text.utf8), streamName: "readings").value
        return await recorder.submitAllRecords().failure()
    }

    private var delivered: [String] { kinesis.requests.flatMap { PutRequestBody($0.body).texts } }

    /// The access key IDs of the requests.
    private var keys: [String] {
        kinesis.requests.compactMap { request in
            request.header("Authorization")?.firstMatch(of: /Credential=([A-Z0-9]+)\//).map { String($0.1) }
        }
    }

    @Test func `its records are delivered with the keys of its role, which are renewed at half their life`()
        async throws
    {
        for (text, seconds) in [("a", 0.0), ("b", 1799), ("c", 2), ("d", 1799), ("e", 2)] {
            device.advance(seconds)
            #expect(try await send(text) == nil)
        }
        #expect(delivered == ["a", "b", "c", "d", "e"])
        #expect(keys == ["ASIA1", "ASIA1", "ASIA2", "ASIA2", "ASIA3"])
        #expect(kinesis.requests.allSatisfy { $0.header("X-Amz-Security-Token") == Canary.token })
        #expect(device.server.requests.count == 3)
    }

    @Test func `while the endpoint is down the old keys are used; after their end the records stay until it is up`()
        async throws
    {
        #expect(try await send("a") == nil)
        device.provider(.isDown)
        device.advance(3000)
        #expect(try await send("b") == nil)
        device.advance(601)
        let error = try #require(try await send("c"))
        #expect(error.domain == NSURLErrorDomain, "\(error)")
        #expect(error.localizedDescription.contains("AWS IoT credentials provider: 127.0.0.1:"), "\(error)")
        #expect(recorder.diskBytesUsed > 0)
        #expect(delivered == ["a", "b"])
        device.provider(.gives)
        #expect(try await send("d") == nil)
        #expect(delivered == ["a", "b", "c", "d"] && recorder.diskBytesUsed == 0)
        #expect(keys == ["ASIA1", "ASIA1", "ASIA2"])
    }

    @Test func `a revoked certificate is an error that says so, and the records stay`() async throws {
        #expect(try await send("a") == nil)
        try device.revoke()
        device.advance(3601)
        for text in ["b", "c"] {
            let error = try #require(try await send(text))
            #expect(error.domain == NSURLErrorDomain && error.code == NSURLErrorClientCertificateRejected, "\(error)")
            #expect(error.localizedDescription.contains("\(device.identity.certificate) is revoked"), "\(error)")
        }
        #expect(delivered == ["a"] && recorder.diskBytesUsed > 0)
    }

    @Test func `a certificate that the service knows to be revoked is an error, and the records stay`() async throws {
        device.provider(.refuses(403, "Access Denied"))
        let error = try #require(try await send("a"))
        #expect(error.domain == AWSServiceErrorDomain, "\(error)")
        #expect(error.localizedDescription.contains("Is the certificate revoked or inactive?"), "\(error)")
        #expect(error.userInfo[AWSServiceErrorStatusCodeKey] as? Int == 403)
        #expect(delivered.isEmpty && recorder.diskBytesUsed > 0)
    }

    @Test func `the public initializer takes the same values`() async throws {
        let settings = device.environment
        func value(_ name: String) throws -> String { try #require(settings["AWS_IOT_CORE_\(name)"]) }
        let provider = AWSIoTCredentialsProvider(
            endpoint: try value("CREDENTIAL_ENDPOINT"),
            roleAlias: "recorder",
            thingName: "gateway-7",
            certificate: try value("CERT"),
            privateKey: try value("PRIVATE_KEY"),
            certificateAuthorities: device.authority.certificate
        )
        #expect(try await provider.credentials().value?.accessKey == "ASIA1")
        provider.invalidateCachedTemporaryCredentials()
        #expect(try await provider.credentials().value?.accessKey == "ASIA2")
        #expect(device.server.requests.last?.header("x-amzn-iot-thingname") == "gateway-7")
    }
}
