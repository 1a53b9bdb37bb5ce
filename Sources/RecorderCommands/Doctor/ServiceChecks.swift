import Foundation
import RecorderAWS
import RecorderEngine
import RecorderHTTP

/// The doctor's checks of the way to the service: region, endpoint, credentials, one harmless call, the clock.
struct ServiceChecks {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    private var isFirehose: Bool { session.service.service == .firehose }

    // MARK: settings

    /// Region and endpoint, and a caller where both will do.
    func settings() -> ([Finding], AWSServiceCaller?) {
        do throws(ConfigurationFailure) {
            let configuration = try session.callConfiguration(for: session.service.service)
            var endpoint = Finding.ok("endpoint", configuration.endpoint.url)
            if !configuration.endpoint.isEncrypted {
                endpoint = .warning("endpoint", "\(configuration.endpoint.url) is not encrypted")
            }
            var once = configuration
            once.maximumRetries = 1
            // Somebody waits for the answer, which is a short one.
            once.timeouts.total = once.timeouts.total ?? .seconds(30)
            return (
                [.ok("region", configuration.region.name), endpoint], AWSServiceCaller(session.service.service, once)
            )
        } catch {
            return ([.failure("settings", error.message, nil, .configuration)], nil)
        }
    }

    func credentials() async -> Finding {
        do throws(CredentialsFailure) {
            let found = try await session.credentials().credentials()
            guard let found else { return .warning("credentials", "none: requests go unsigned") }
            let kind = found.sessionToken == nil ? "long-lived" : "temporary"
            guard let end = found.expiration else { return .ok("credentials", "found, \(kind)") }
            return .ok("credentials", "found, \(kind), valid until \(end)")
        } catch {
            return .failure("credentials", error.message, Self.credentialsAdvice, .configuration)
        }
    }

    private static let credentialsAdvice =
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_SESSION_TOKEN for temporary ones, or AWS_PROFILE."

    // MARK: the call

    /// Lists at most one stream; then, if a stream was named, asks for that one.
    func ask(_ caller: AWSServiceCaller) async -> [Finding] {
        var findings: [Finding] = []
        do {
            let answer = try await caller.call(
                isFirehose ? "ListDeliveryStreams" : "ListStreams",
                body: Array(#"{"Limit":1}"#.utf8)
            )
            findings.append(.ok("service", "reached; it takes the credentials"))
            findings.append(clock(answer.date))
        } catch {
            findings.append(finding(error))
            if let date = error.serverDate { findings.append(clock(date)) }
            guard error.kind == .denied else { return findings }
        }
        if let stream = session.invocation.arguments.first { findings.append(await ask(caller, about: stream)) }
        return findings
    }

    private func finding(_ failure: ServiceFailure) -> Finding {
        switch failure.kind {
        case .denied:
            .ok("service", "reached; it knows the credentials, which may not list streams and need not")
        case .expiredCredentials:
            .failure("service", "\(failure)", "Renew the credentials: the service does not take them.", .denied)
        case .clockSkew:
            .failure("service", "\(failure)", "Check the secret key, then this machine's clock.", .denied)
        case .credentials: .warning("service", "not asked: there are no credentials")
        case .transport:
            .failure(
                "service",
                failure.message,
                "Check the network, the region, and proxies (https_proxy, no_proxy); records wait on disk meanwhile.",
                .tryLater
            )
        default: .failure("service", "\(failure)", nil, .tryLater)
        }
    }

    private func ask(_ caller: AWSServiceCaller, about stream: String) async -> Finding {
        let action = isFirehose ? "firehose:PutRecordBatch" : "kinesis:PutRecords"
        let field = isFirehose ? "DeliveryStreamName" : "StreamName"
        do {
            let name = try session.service.checkStream(stream)
            _ = try await caller.call(
                isFirehose ? "DescribeDeliveryStream" : "DescribeStreamSummary",
                body: Array(#"{"\#(field)":"\#(name)"}"#.utf8)
            )
            return .ok("stream", "\(stream) is there; sending needs the permission \(action)")
        } catch let failure as ServiceFailure {
            switch failure.kind {
            case .notFound:
                return .failure("stream", failure.message, "Create \(stream), or check name and region.", .notFound)
            case .denied:
                return .warning("stream", "the credentials may not ask for \(stream); sending needs \(action)")
            default: return .failure("stream", "\(failure)", nil, .tryLater)
            }
        } catch let error as RecorderError {
            return .failure("stream", error.message, nil, .usage)
        } catch {
            return .failure("stream", "\(error)", nil, .usage)
        }
    }

    private func clock(_ service: Date?) -> Finding {
        guard let service else { return .warning("clock", "the service did not tell the time") }
        let seconds = Int(Date().timeIntervalSince(service).rounded())
        let text = "\(abs(seconds)) s \(seconds < 0 ? "behind" : "ahead of") the service's"
        guard abs(seconds) > 240 else { return .ok("clock", abs(seconds) < 2 ? "right" : text) }
        return .warning(
            "clock",
            "\(text); requests are signed by the service's clock, but the age of records suffers",
            "Set the clock, or run a time service such as systemd-timesyncd."
        )
    }
}
