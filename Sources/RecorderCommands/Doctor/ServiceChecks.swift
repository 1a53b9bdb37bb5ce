import FoundationEssentials
import RecorderAWS
import RecorderHTTP
import RecorderStore

/// Checks the connection to the service: region, endpoint, credentials, one call that writes nothing, the clock.
struct ServiceChecks {
    private let setup: DoctorSetup
    private var access: ServiceAccess { setup.access }
    private var service: StreamServiceDescription { setup.service }

    init(_ setup: DoctorSetup) {
        self.setup = setup
    }

    // MARK: settings

    /// Checks region and endpoint. Returns a caller if both are right.
    func settings() -> ([Finding], AWSServiceCaller?) {
        do throws(ConfigurationFailure) {
            let configuration = try access.callConfiguration(for: service.service)
            var endpoint = Finding.ok("endpoint", text: configuration.endpoint.url)
            if !configuration.endpoint.isEncrypted, !configuration.endpoint.isLoopback {
                endpoint = .warning("endpoint", text: "\(configuration.endpoint.url) is not encrypted")
            }
            let problems = checks(configuration).findings
            var findings = problems
            if !problems.contains(where: { $0.topic == "endpoint" }) { findings.insert(endpoint, at: 0) }
            if !problems.contains(where: { $0.topic == "region" }) {
                findings.insert(.ok("region", text: configuration.region.name), at: 0)
            }
            guard problems.allSatisfy({ $0.grade != .failure }) else { return (findings, nil) }
            var short = configuration
            // The user waits for the answer, which is small.
            short.maximumRetries = 1
            short.timeouts.total = short.timeouts.total ?? .seconds(30)
            return (findings, AWSServiceCaller(service.service, configuration: short))
        } catch {
            return ([.failure("settings", text: error.message, status: ExitStatus(error))], nil)
        }
    }

    private func checks(_ configuration: CallConfiguration) -> EndpointChecks {
        EndpointChecks(endpoint: configuration.endpoint, region: configuration.region, service: service)
    }

    func credentials() async -> Finding {
        do throws(CredentialsFailure) {
            let chain = access.credentials()
            let found = if let keys = access.keys { keys } else { try await chain.credentials() }
            guard let found else { return .warning("credentials", text: "none: requests are not signed") }
            let kind = found.sessionToken == nil ? "long-lived" : "temporary"
            let origin = (access.keys == nil ? chain.origin : "agent").map { " (\($0))" } ?? ""
            guard let end = found.expiration else { return .ok("credentials", text: "found\(origin), \(kind)") }
            return .ok("credentials", text: "found\(origin), \(kind), valid until \(end)")
        } catch {
            if access.isOffline, case .transport = error.underlying?.kind {
                return .warning("credentials", text: error.message)
            }
            return .failure(
                "credentials",
                text: error.message,
                advice: error.kind == .notConfigured ? Self.credentialsAdvice : nil,
                status: ExitStatus(ServiceFailure(error))
            )
        }
    }

    private static let credentialsAdvice =
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with AWS_SESSION_TOKEN for temporary ones; or AWS_PROFILE; or, for "
        + "a device with a certificate, AWS_IOT_CORE_CREDENTIAL_ENDPOINT, _ROLE_ALIAS, _CERT and _PRIVATE_KEY."

    // MARK: the call

    /// Checks the streams that are named. Without one, lists at most one stream.
    func call(_ caller: AWSServiceCaller) async -> [Finding] {
        guard !setup.streams.isEmpty else { return await list(caller) }
        var findings: [Finding] = []
        for stream in setup.streams {
            do throws(RecorderError) {
                let name = try service.checkStream(stream) { caller.region }
                findings += await StreamChecks(name, of: service, caller: caller).findings()
            } catch {
                findings += await list(caller) + [.failure("stream", text: error.message, status: .usage)]
            }
        }
        return findings
    }

    private func list(_ caller: AWSServiceCaller) async -> [Finding] {
        do throws(ServiceFailure) {
            let operation = service.service == .firehose ? "ListDeliveryStreams" : "ListStreams"
            let answer = try await caller.call(operation, body: Array(#"{"Limit":1}"#.utf8))
            return [Self.reached, Self.clock(serviceTime: answer.date)]
        } catch {
            let clock = error.serverDate.map { Self.clock(serviceTime: $0) }
            return [unknownRegion(of: caller, after: error) ?? Self.finding(error)] + (clock.map { [$0] } ?? [])
        }
    }

    /// The failure to find the host of a region that does not exist; nil if that is not the cause.
    private func unknownRegion(of caller: AWSServiceCaller, after failure: ServiceFailure) -> Finding? {
        guard case .transport(let cause) = failure.kind, cause.kind == .nameNotResolved,
            let configuration = try? access.callConfiguration(for: service.service),
            checks(configuration).isRegionUnknown
        else { return nil }
        return .failure(
            "service",
            text: failure.message,
            advice: "AWS has no region \(caller.region.name) that this version knows: correct its name.",
            status: .configuration
        )
    }

    static let reached = Finding.ok("service", text: "reached; it accepts the credentials")

    /// Why a call failed.
    static func finding(_ failure: ServiceFailure) -> Finding {
        switch failure.kind {
        case .denied:
            .ok("service", text: "reached; it accepts the credentials, which need no permission to list streams")
        case .expiredCredentials:
            .failure(
                "service",
                text: "\(failure)",
                advice: "Renew the credentials: the service does not accept them.",
                status: ExitStatus(failure)
            )
        case .clockSkew:
            .failure(
                "service",
                text: "\(failure)",
                advice: "Check the secret key, then this machine's clock.",
                status: ExitStatus(failure)
            )
        case .credentials: .warning("service", text: "not checked: there are no credentials")
        case .configuration: .failure("service", text: failure.message, status: ExitStatus(failure))
        case .transport:
            .failure(
                "service",
                text: failure.message,
                advice:
                    "Check the network, the region and proxies (https_proxy, no_proxy). Records wait on disk meanwhile.",
                status: ExitStatus(failure)
            )
        default: .failure("service", text: "\(failure)", status: ExitStatus(failure))
        }
    }

    static func clock(serviceTime: Date?) -> Finding {
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
