import Foundation
import RecorderAWS
import RecorderEngine
import RecorderHTTP

/// A pipeline over a file of its own, as an application would have it, without limits that would empty it.
struct PipelineHarness: Sendable {
    let pipeline: RecordPipeline

    /// - Parameters:
    ///   - directory: where the file is; made by `ScratchDirectory`.
    ///   - transport: the service; without one nothing can be sent.
    ///   - signs: whether requests carry a signature, as they usually do.
    init(in directory: String, to transport: ScriptedTransport? = nil, signs: Bool = true) {
        let store = RecordStore(at: { () throws(RecorderError) in
            try StoreLocation(service: "kinesis", key: nil, directory: directory, program: "bench", environment: [:])
        })
        var policy = RecorderPolicy.legacy
        policy.limits.bytes = 0
        // So that 500 records are one request, the most the service takes.
        policy.batchByteLimit = 500 * (Payload.bytes + Payload.key.utf8.count)
        pipeline = RecordPipeline(
            .kinesis,
            store,
            policy,
            caller: { () throws(RecorderError) in try Self.caller(transport, signs) },
            report: { _ in }
        )
    }

    private static func caller(_ transport: ScriptedTransport?, _ signs: Bool) throws(RecorderError) -> AWSServiceCaller
    {
        do throws(ConfigurationFailure) {
            guard let transport else { throw ConfigurationFailure("This measurement has no service.") }
            let keys = Credentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "secret")
            let configuration = CallConfiguration(
                region: try Region("us-east-1"),
                endpoint: try Endpoint(url: "http://service.invalid"),
                credentials: signs ? StaticCredentials(keys) : AnonymousCredentials(),
                transport: transport
            )
            return AWSServiceCaller(.kinesis, configuration)
        } catch {
            throw .configuration(error)
        }
    }

    /// Saves one record and waits until it is durable.
    func save(to stream: String = Payload.stream) async throws {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.save(Payload.data, stream: stream, partitionKey: nil) { continuation.resume(with: $0) }
        }
    }

    /// Saves one after the other.
    func saveOneByOne(_ count: Int) async throws {
        for _ in 0..<count { try await save() }
    }

    /// Saves `count` records with up to 1,024 on their way at any time, and waits for the last.
    func saveTogether(_ count: Int, to stream: String = Payload.stream, of data: Data = Payload.data) {
        // Places are given back 64 at a time, as a signal for each save would be most of the work.
        let share = 64
        let places = DispatchSemaphore(value: 1_024 / share)
        for number in 1...count {
            let endsShare = number.isMultiple(of: share)
            if number % share == 1 { places.wait() }
            pipeline.save(data, stream: stream, partitionKey: nil) { result in
                if case .failure(let error) = result { fatalError("A save failed: \(error.message)") }
                if endsShare || number == count { places.signal() }
            }
        }
        for _ in 0..<(1_024 / share) { places.wait() }
        // A semaphore must not go with less than it began with.
        for _ in 0..<(1_024 / share) { places.signal() }
    }

    @discardableResult
    func flush() async throws -> FlushReport {
        try await withCheckedThrowingContinuation { continuation in
            pipeline.flush { continuation.resume(with: $0) }
        }
    }
}
