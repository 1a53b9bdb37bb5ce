import FoundationEssentials
import RecorderAWS
import RecorderEngine
import RecorderHTTP

/// Checks the connection to the service: region, endpoint, credentials, one read-only call, the clock.
struct ServiceChecks {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    private var isFirehose: Bool { session.service.service == .firehose }

    // MARK: settings

    /// Checks region and endpoint. Returns a caller if both are valid.
    func settings() -> ([Finding], AWSServiceCaller?) {
        do throws(ConfigurationFailure) {
            let configuration = try session.callConfiguration(for: session.service.service)
            var endpoint = Finding.ok("endpoint", text: configuration.endpoint.url)
            if !configuration.endpoint.isEncrypted {
                endpoint = .warning("endpoint", text: "\(configuration.endpoint.url) is not encrypted")
            }
            var short = configuration
            // The user waits for the answer, which is small.
            short.maximumRetries = 1
            short.timeouts.total = short.timeouts.total ?? .seconds(30)
            return (
                [.ok("region", text: configuration.region.name), endpoint],
                AWSServiceCaller(session.service.service, configuration: short)
            )
        } catch {
            return ([.failure("settings", text: error.message, status: .configuration)], nil)
        }
    }

    func credentials() async -> Finding {
        do throws(CredentialsFailure) {
            let chain = session.credentials()
            let found = try await chain.credentials()
            guard let found else { return .warning("credentials", text: "none: requests are not signed") }
            let kind = found.sessionToken == nil ? "long-lived" : "temporary"
            let origin = chain.origin.map { " (\($0))" } ?? ""
            guard let end = found.expiration else { return .ok("credentials", text: "found\(origin), \(kind)") }
            return .ok("credentials", text: "found\(origin), \(kind), valid until \(end)")
        } catch {
            return .failure(
                "credentials",
                text: error.message,
                advice: error.kind == .notConfigured ? Self.credentialsAdvice : nil,
                status: .configuration
            )
        }
    }

    private static let credentialsAdvice =
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_SESSION_TOKEN for temporary ones; or AWS_PROFILE; or, for "
        + "a device with a certificate, AWS_IOT_CORE_CREDENTIAL_ENDPOINT, _ROLE_ALIAS, _CERT and _PRIVATE_KEY."

    // MARK: the call

    /// Lists at most one stream. If a stream was named, checks that one as well.
    func call(_ caller: AWSServiceCaller) async -> [Finding] {
        var findings: [Finding] = []
        do {
            let answer = try await caller.call(
                isFirehose ? "ListDeliveryStreams" : "ListStreams",
                body: Array(#"{"Limit":1}"#.utf8)
            )
            findings.append(.ok("service", text: "reached; it accepts the credentials"))
            findings.append(clock(serviceTime: answer.date))
        } catch {
            findings.append(finding(error))
            if let date = error.serverDate { findings.append(clock(serviceTime: date)) }
            guard error.kind == .denied else { return findings }
        }
        if let stream = session.invocation.arguments.first { findings.append(await check(stream, with: caller)) }
        return findings
    }

    private func finding(_ failure: ServiceFailure) -> Finding {
        switch failure.kind {
        case .denied:
            .ok("service", text: "reached; it accepts the credentials, which need no permission to list streams")
        case .expiredCredentials:
            .failure(
                "service",
                text: "\(failure)",
                advice: "Renew the credentials: the service does not accept them.",
                status: .denied
            )
        case .clockSkew:
            .failure(
                "service",
                text: "\(failure)",
                advice: "Check the secret key, then this machine's clock.",
                status: .denied
            )
        case .credentials: .warning("service", text: "not checked: there are no credentials")
        case .transport:
            .failure(
                "service",
                text: failure.message,
                advice:
                    "Check the network, the region and proxies (https_proxy, no_proxy). Records wait on disk meanwhile.",
                status: .tryLater
            )
        default: .failure("service", text: "\(failure)", status: .tryLater)
        }
    }

    private func check(_ stream: String, with caller: AWSServiceCaller) async -> Finding {
        let action = isFirehose ? "firehose:PutRecordBatch" : "kinesis:PutRecords"
        let field = isFirehose ? "DeliveryStreamName" : "StreamName"
        do {
            let name = try session.service.checkStream(stream)
            _ = try await caller.call(
                isFirehose ? "DescribeDeliveryStream" : "DescribeStreamSummary",
                body: Array(#"{"\#(field)":"\#(name)"}"#.utf8)
            )
            return .ok("stream", text: "\(stream) exists; sending needs the permission \(action)")
        } catch let failure as ServiceFailure {
            switch failure.kind {
            case .notFound:
                return .failure(
                    "stream",
                    text: failure.message,
                    advice: "Create \(stream), or check its name and the region.",
                    status: .notFound
                )
            case .denied:
                return .warning(
                    "stream",
                    text: "the credentials may not describe \(stream); sending needs the permission \(action)"
                )
            default: return .failure("stream", text: "\(failure)", status: .tryLater)
            }
        } catch let error as RecorderError {
            return .failure("stream", text: error.message, status: .usage)
        } catch {
            return .failure("stream", text: "\(error)", status: .usage)
        }
    }

    private func clock(serviceTime: Date?) -> Finding {
        guard let serviceTime else { return .warning("clock", text: "the answer has no date") }
        let seconds = Int(Date().timeIntervalSince(serviceTime).rounded())
        let text = "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the service's"
        guard abs(seconds) > 240 else { return .ok("clock", text: abs(seconds) < 2 ? "right" : text) }
        return .warning(
            "clock",
            text: "\(text); requests are signed by the service's clock, but ages of records are wrong",
            advice: "Set the clock, or run a time service such as systemd-timesyncd."
        )
    }
}
