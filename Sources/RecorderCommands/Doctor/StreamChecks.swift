import RecorderAWS
import RecorderDelivery
import RecorderHTTP
import RecorderStore

/// Checks that records may be sent to a stream, without writing one: no permission but that of sending is needed.
struct StreamChecks {
    private let stream: StreamName
    private let service: StreamServiceDescription
    private let caller: AWSServiceCaller

    init(_ stream: StreamName, of service: StreamServiceDescription, caller: AWSServiceCaller) {
        self.stream = stream
        self.service = service
        self.caller = caller
    }

    func findings() async -> [Finding] {
        let (field, name) = service.member(naming: stream)
        // What PutRecords would write if it did not know DryRun. PutRecordBatch has no such parameter, and refuses an empty list.
        let rest =
            isFirehose ? #""Records":[]"# : #""Records":[{"Data":"","PartitionKey":"\#(Self.key)"}],"DryRun":true"#
        let body = Array(#"{"\#(field)":"\#(name)",\#(rest)}"#.utf8)
        let put = await answer(to: CallRequest(service.operation, body: body, context: service.context(of: stream)))
        var findings = connection(put)
        guard findings.allSatisfy({ $0.status == .success }), put.failure.map(Self.isAnswer) ?? true else {
            return findings
        }
        let settings = await answer(to: service.summaryRequest(of: stream))
        let permission = isFirehose ? permission(ofBatch: put, settings: settings) : permission(ofDryRun: put)
        findings.append(permission)
        if !isFirehose, permission.status == .success { findings += recordSettings(settings) }
        return findings
    }

    private static let key = "kinesis-recorder-doctor"

    private var isFirehose: Bool { service.service == .firehose }
    private var action: String { "\(service.service.signingName):\(service.operation)" }

    // MARK: calls

    private struct Answer {
        var response: [UInt8]?
        var failure: ServiceFailure?
        var findings: [Finding] = []
    }

    private func answer(to request: CallRequest) async -> Answer {
        do throws(ServiceFailure) {
            let response = try await caller.call(request)
            return Answer(response: response.body, findings: [ServiceChecks.clock(serviceTime: response.date)])
        } catch {
            let clock = error.serverDate.map { [ServiceChecks.clock(serviceTime: $0)] }
            return Answer(failure: error, findings: clock ?? [])
        }
    }

    /// Whether the service answered for the stream or the permission.
    private static func isAnswer(_ failure: ServiceFailure) -> Bool {
        switch failure.kind {
        case .denied, .notFound, .invalidRequest, .throttled, .other: true
        default: false
        }
    }

    private func connection(_ put: Answer) -> [Finding] {
        let failure = put.failure.flatMap { Self.isAnswer($0) ? nil : ServiceChecks.finding($0) }
        return [failure ?? ServiceChecks.reached] + put.findings
    }

    // MARK: what the answers mean

    private func permission(ofDryRun put: Answer) -> Finding {
        guard let failure = put.failure else {
            return .warning(
                "stream",
                text:
                    "\(stream) accepts records, but the service does not know dry runs: it took an empty record with the "
                    + "partition key \(Self.key)"
            )
        }
        guard failure.code == "DryRunOperationException" else { return problem(failure) }
        return .ok("stream", text: "\(stream) accepts records; the credentials have the permission \(action)")
    }

    /// An empty list is refused as invalid after, or before, the permission is checked. So only a denial is certain.
    private func permission(ofBatch put: Answer, settings: Answer) -> Finding {
        if let failure = put.failure, failure.kind != .invalidRequest { return problem(failure) }
        switch settings.failure?.kind {
        case nil: return .ok("stream", text: "\(stream) exists, and \(action) without records was not denied")
        case .notFound: return settings.failure.map(problem) ?? .ok("stream", text: "\(stream)")
        default:
            return .ok(
                "stream",
                text:
                    "\(action) without records was not denied; the credentials may not describe \(stream), and need not"
            )
        }
    }

    private func problem(_ failure: ServiceFailure) -> Finding {
        switch failure.kind {
        case .notFound:
            .failure(
                "stream",
                text: failure.message,
                advice: "Create \(stream), or check its name and the region.",
                status: ExitStatus(failure)
            )
        case .denied:
            .failure(
                "stream",
                text: "the credentials may not send to \(stream): \(failure)",
                advice: "Allow \(action) on the stream's ARN, and the use of its encryption key if it has one.",
                status: ExitStatus(failure)
            )
        default: .failure("stream", text: "\(failure)", status: ExitStatus(failure))
        }
    }

    private func recordSettings(_ answer: Answer) -> [Finding] {
        guard let settings = answer.response.flatMap({ StreamSettings($0) }) else {
            return [
                .ok(
                    "record size",
                    text:
                        "unknown: the credentials may not describe \(stream), and need not, but for --aggregate "
                        + "(kinesis:DescribeStreamSummary, kinesis:ListShards)"
                )
            ]
        }
        let maximum = settings.maximumRecordBytes ?? service.commonRecordBytes
        var findings = [Finding.ok("record size", text: "\(stream) accepts records of up to \(ByteCount(maximum))")]
        if settings.distributesRecords {
            findings.append(
                .warning(
                    "keys",
                    text:
                        "\(stream) distributes records by itself (strategy AUTO): a partition key has no order in it, and "
                        + "--aggregate sends one by one",
                    advice:
                        "Send without keys (--omit-keys), or set its strategy to USER_PARTITION_KEY "
                        + "(UpdateStreamRecordDistributionStrategy)."
                )
            )
        }
        return findings
    }
}
