import FileFollowing
import LineRecords
package import RecorderAWS
import RecorderEngine
import RecorderStore

/// The flows of one service, which share a store.
struct AgentService: Sendable {
    let pipeline: RecordPipeline
    let targets: [FileFlowTarget]
    /// The smallest buffer of its flows.
    let buffer: SendBuffer
    let discards: DiscardLog
    private let access: ServiceAccess

    /// The services that have flows.
    static func all(
        of configuration: AgentConfiguration,
        _ session: Session,
        metrics: MetricsFile?
    ) throws(CommandFailure) -> [AgentService] {
        func flows(to service: StreamServiceDescription) -> [AgentFlow] {
            configuration.flows.filter { $0.destination.isKinesis == service.sendsPartitionKey }
        }
        let services = [StreamServiceDescription.kinesis, .firehose].filter { !flows(to: $0).isEmpty }
        var all: [AgentService] = []
        for service in services {
            let access = try configuration.access(session.access, to: service)
            let flows = flows(to: service)
            let policy = try policy(
                try session.sendingPolicy(for: service, of: services),
                for: flows,
                of: service,
                in: session
            )
            all.append(try AgentService(service, access, flows: flows, policy: policy, in: session, metrics: metrics))
        }
        return all
    }

    private init(
        _ service: StreamServiceDescription,
        _ access: ServiceAccess,
        flows: [AgentFlow],
        policy: RecorderPolicy,
        in session: Session,
        metrics: MetricsFile?
    ) throws(CommandFailure) {
        self.access = access
        let discards = DiscardLog(session.console)
        let pipeline = try session.pipeline(for: service, policy: policy, metrics: metrics, access: access) {
            discards.handle($0)
        }
        self.pipeline = pipeline
        self.discards = discards
        buffer = flows.dropFirst().reduce(flows[0].buffer) { $0.merged(with: $1.buffer) }
        let fields = try RecordFields(session.invocation)
        targets = flows.map { FileFlowTarget(FileFlow($0, policy, fields: fields, in: session), in: pipeline) }
        for flow in flows {
            _ = try CommandFailure.wrapping(
                try service.checkStream(flow.destination.stream, region: { access.region })
            )
        }
    }

    /// `sending` with what the flows and the options for the store say.
    private static func policy(
        _ sending: RecorderPolicy,
        for flows: [AgentFlow],
        of service: StreamServiceDescription,
        in session: Session
    ) throws(CommandFailure) -> RecorderPolicy {
        var policy = sending
        policy.maximumRecordBytes = service.commonRecordBytes
        policy.delimiter = UInt8(ascii: "\n")
        policy.limits.bytes = try session.invocation.byteCount(.limit)?.bytes ?? policy.limits.bytes
        try session.invocation.checkLimit(of: policy, holds: policy.maximumRecordBytes)
        policy.limits.age = try session.invocation.duration(.maximumAge) ?? policy.limits.age
        let shared = flows.compactMap(\.sharedEntryBytes)
        // What was typed comes first.
        if policy.sharedEntryBytes != nil || shared.isEmpty { return policy.waitingAtLimit }
        if shared.count == flows.count {
            policy.sharedEntryBytes = shared.min()
        } else {
            session.console.warning(
                "aggregatedRecordSizeBytes has no effect: set it for all flows with a deliveryStream."
            )
        }
        return policy.waitingAtLimit
    }

    /// Throws what would make every record fail, before the first one is read.
    func check() throws(CommandFailure) {
        _ = try CommandFailure.wrapping(try pipeline.totals())
        try checkSettings()
    }

    /// The same without opening the store.
    func checkSettings() throws(CommandFailure) { try access.check(pipeline.service.service) }
}

extension FileFlow {
    /// Records end with a newline, as those of the agent do.
    fileprivate init(_ flow: AgentFlow, _ policy: RecorderPolicy, fields: RecordFields?, in session: Session) {
        let keyBytes = flow.destination.isKinesis ? StreamServiceDescription.kinesis.keyBytes(for: nil) : 0
        var rules = flow.rules
        rules.keepsDelimiter = true
        rules.fields = fields
        rules.maximumRecordBytes = policy.maximumRecordBytes - keyBytes
        self.init(
            stream: flow.destination.stream,
            patterns: flow.patterns,
            firstSight: flow.startsAtEnd ? .end : .start,
            rules: rules
        )
        leaveOutOwnFiles(of: session)
    }
}

extension AgentConfiguration {
    /// The agent's default.
    private static let defaultRegion = "us-east-1"

    /// `access` with the settings for a service. What was typed comes first, then the file, then the environment.
    func access(_ access: ServiceAccess, to service: StreamServiceDescription) throws(CommandFailure) -> ServiceAccess {
        var result = access
        let typed = access.given.endpoints[service.service]
        let own = service.sendsPartitionKey ? kinesisEndpoint : firehoseEndpoint
        result.given.endpoints[service.service] = typed ?? own
        result.given.endpoints[.sts] = securityTokenEndpoint
        if result.given.region == nil {
            let named = service.sendsPartitionKey ? kinesisRegion : nil
            let ofHost = [typed, own].compactMap { $0.flatMap(Self.region(of:)) }.first
            result.given.region = named ?? ofHost
        }
        do throws(ConfigurationFailure) {
            if try result.settings().region() == nil { result.given.region = try Region(Self.defaultRegion) }
        } catch {
            throw CommandFailure(.configuration(error))
        }
        if access.given.profile == nil { result.keys = credentials }
        result.role = role
        return result
    }

    /// The region in the host of an endpoint of AWS, such as `kinesis.us-west-2.amazonaws.com`; nil if there is none.
    package static func region(of endpoint: Endpoint) -> Region? {
        let labels = endpoint.host.split(separator: ".")
        guard labels.contains("amazonaws") || labels.suffix(2) == ["api", "aws"] else { return nil }
        let candidates = labels.filter { label in
            let parts = label.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count >= 3, let last = parts.last, last.allSatisfy(\.isNumber) else { return false }
            return parts.dropLast().allSatisfy { $0.count >= 2 && $0.allSatisfy(\.isLetter) }
        }.map(String.init)
        // The name of a load balancer may look like a region.
        let name = candidates.first { Region.known.contains($0) } ?? candidates.first
        return name.flatMap { try? Region($0) }
    }
}
