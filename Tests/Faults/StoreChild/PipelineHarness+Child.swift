import Foundation
import RecorderAWS
package import RecorderHTTP
package import RecorderStore
package import RecorderTestSupport

extension PipelineHarness {
    /// A Kinesis store in a directory that is kept, for a child process or the test itself. `url` is the endpoint of
    /// submits; nil for a store that only saves. Whether records share entries of requests says
    /// `sharesEntries`, or `STRESS_SHARED_ENTRIES` in the environment.
    package init(
        in directory: String,
        to url: String?,
        byteLimit: Int = 0,
        sharesEntries: Bool? = nil,
        transport: any HTTPTransport = CurlTransport.shared,
        timeouts: HTTPTimeouts = HTTPTimeouts(),
        usesRealPauses: Bool = false,
        emit: @escaping @Sendable (RecorderEvent) -> Void = { _ in }
    ) throws {
        var policy = RecorderPolicy.legacy
        policy.limits.bytes = byteLimit
        if sharesEntries ?? (ProcessInfo.processInfo.environment["STRESS_SHARED_ENTRIES"] != nil) {
            // Several entries a request, several records an entry.
            policy.sharedEntryBytes = 1_024
        }
        try self.init(
            url: url,
            in: TemporaryDirectory(existing: directory),
            systemClock: .system,
            policy: policy,
            calling: { configuration in
                configuration.timeouts = timeouts
                configuration.transport = transport
                if usesRealPauses { configuration.pause = { try await Task.sleep(for: $0) } }
            },
            emit: emit
        )
    }
}
