import Foundation
import RecorderAWS
import RecorderEngine
import RecorderHTTP
import RecorderStore
import RecorderTestSupport

extension PipelineHarness {
    /// A pipeline configured as in an application, but without the limits that would evict records.
    ///
    /// Its file is in `directory`, created by `ScratchDirectory`. Without `transport`, nothing can be sent. `signs` says
    /// whether requests are signed, as they usually are.
    init(in directory: String, to transport: ScriptedTransport? = nil, signs: Bool = true) throws {
        var policy = RecorderPolicy.legacy
        policy.limits.bytes = 0
        // Makes 500 records one request, the service's maximum.
        policy.batchByteLimit = 500 * (Payload.bytes + Payload.key.utf8.count)
        try self.init(
            url: transport == nil ? nil : "http://service.invalid",
            in: TemporaryDirectory(existing: directory),
            systemClock: .system,
            policy: policy,
            calling: { configuration in
                if let transport { configuration.transport = transport }
                configuration.credentials = Self.credentials(signs: signs)
                configuration.pause = { try await Task.sleep(for: $0) }
            },
            emit: { _ in }
        )
    }

    private static func credentials(signs: Bool) -> any CredentialsSource {
        guard signs else { return AnonymousCredentials() }
        return StaticCredentials(Credentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "secret"))
    }

    /// Saves one record and waits until it is durable.
    func save(to stream: String = Payload.stream) async throws { try await save(Payload.data, to: stream) }

    /// Saves one after the other.
    func saveOneByOne(_ count: Int) async throws {
        for _ in 0..<count { try await save() }
    }

    /// Saves `count` records, up to 1,024 of them in flight, and waits for the last. With `keys`, they get these in turns.
    func saveTogether(
        _ count: Int,
        to stream: String = Payload.stream,
        of data: Data = Payload.data,
        keys: [String] = []
    ) {
        // Slots are released 64 at a time, because a signal for each save would be most of the work.
        let share = 64
        let slots = DispatchSemaphore(value: 1_024 / share)
        for number in 1...count {
            let endsShare = number.isMultiple(of: share)
            if number % share == 1 { slots.wait() }
            let key = keys.isEmpty ? nil : keys[number % keys.count]
            pipeline.save(data, stream: stream, partitionKey: key) { result in
                if case .failure(let error) = result { fatalError("A save failed: \(error.message)") }
                if endsShare || number == count { slots.signal() }
            }
        }
        for _ in 0..<(1_024 / share) { slots.wait() }
        // A semaphore must not be deallocated with a value below its initial one.
        for _ in 0..<(1_024 / share) { slots.signal() }
    }
}
