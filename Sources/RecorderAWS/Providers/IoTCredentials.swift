import FoundationEssentials
import RecorderHTTP

/// Keys from AWS IoT's credentials provider, for a device that has a certificate and no keys.
///
/// The device identifies itself by its certificate in the TLS handshake, and gets temporary keys of the role behind a role
/// alias. The files are read for each fetch, because they may be replaced. The keys are renewed at half their lifetime, so
/// that the endpoint may be down for the other half. As for the services, `https_proxy` and similar variables apply.
package struct IoTCredentials: CredentialsFetcher {
    private let given: IoTSettings?
    private let context: CredentialsContext

    /// A fetcher with the settings in the context's environment variables.
    package init(in context: CredentialsContext) {
        given = nil
        self.context = context
    }

    /// A fetcher with these settings.
    package init(_ settings: IoTSettings, in context: CredentialsContext) {
        given = settings
        self.context = context
    }

    package var renewsAtHalfLife: Bool { true }

    package func fetch() async throws(CredentialsFailure) -> Credentials {
        let found = if let given { given } else { try IoTSettings.read(from: context) }
        guard let settings = found else {
            throw CredentialsFailure(
                "AWS_IOT_CORE_CREDENTIAL_ENDPOINT and AWS_IOT_CORE_ROLE_ALIAS are not set.",
                kind: .notConfigured
            )
        }
        let endpoint = try settings.checkedEndpoint()
        // Failures of the transport begin with the host.
        let call = MetadataRequest(try request(to: endpoint, settings), origin: Self.name)
        let origin = "\(Self.name) at \(endpoint.host)"
        let response: HTTPResponse
        do throws(CredentialsFailure) {
            response = try await call.send(in: context)
        } catch {
            throw IoTRefusal(settings, origin: origin, now: context.now()).explained(error)
        }
        var keys = try credentials(in: response, from: origin)
        keys.accountID = settings.accountID
        return keys
    }

    private static let name = "AWS IoT credentials provider"

    private func request(to endpoint: Endpoint, _ settings: IoTSettings) throws(CredentialsFailure) -> HTTPRequest {
        let path = "role-aliases/\(try settings.checkedRoleAlias())/credentials"
        let thing = try settings.checkedThingName().map { HTTPHeader("x-amzn-iot-thingname", $0) }
        try DeviceCertificate.check(certificate: settings.certificate, key: settings.privateKey)
        var request = HTTPRequest(
            method: .get,
            url: endpoint.url + path,
            headers: [thing, HTTPHeader("User-Agent", UserAgent.standard)].compactMap(\.self),
            timeouts: HTTPTimeouts(stall: .seconds(15), total: .seconds(30)),
            maximumResponseBytes: 64 << 10
        )
        request.clientCertificate = ClientCertificate(
            certificate: settings.certificate.value,
            privateKey: settings.privateKey.value
        )
        request.certificateAuthorities = settings.certificateAuthorities
        return request
    }

    /// The keys in a response. The decoder's error is dropped, because it may quote the keys.
    private func credentials(in response: HTTPResponse, from origin: String) throws(CredentialsFailure) -> Credentials {
        guard let keys = try? JSONDecoder().decode(IoTDocument.self, from: Data(response.body)).credentials else {
            throw CredentialsFailure(
                "\(origin): the response is \(response.body.count) bytes that are not a JSON document with keys. Is this "
                    + "the endpoint of AWS IoT's credentials provider?"
            )
        }
        var document = CredentialsDocument()
        document.AccessKeyId = keys.accessKeyId
        document.SecretAccessKey = keys.secretAccessKey
        document.SessionToken = keys.sessionToken
        document.Expiration = keys.expiration
        var credentials = try document.credentials(from: origin)
        guard let end = credentials.expiration else {
            throw CredentialsFailure("\(origin): the response is JSON without expiration.")
        }
        credentials.expiration = response.localTime(of: end, now: context.now())
        return credentials
    }
}

/// The response; its names differ from those of other sources.
private struct IoTDocument: Decodable {
    let credentials: Keys

    struct Keys: Decodable {
        let accessKeyId: String?
        let secretAccessKey: String?
        let sessionToken: String?
        let expiration: String?
    }
}

/// Explains why the credentials provider gave no keys, and what to do.
private struct IoTRefusal {
    private let settings: IoTSettings
    private let origin: String
    private let now: Date

    init(_ settings: IoTSettings, origin: String, now: Date) {
        self.settings = settings
        self.origin = origin
        self.now = now
    }

    func explained(_ failure: CredentialsFailure) -> CredentialsFailure {
        guard failure.kind != .cancelled, let refusal = failure.underlying else { return failure }
        let remedies = [remedy(for: refusal), isAboutCertificate(refusal) ? validity : nil].compactMap(\.self)
        let hasAnswered = refusal.status != nil
        return CredentialsFailure(
            ([hasAnswered ? "\(origin): \(refusal)" : failure.message] + remedies).joined(separator: " "),
            underlying: hasAnswered && !refusal.isBusy ? refusal.withoutOwnRemedy : refusal
        )
    }

    private func isAboutCertificate(_ refusal: ServiceFailure) -> Bool {
        switch refusal.kind {
        case .transport(let cause): [.clientCertificate, .tls, .connectionLost].contains(cause.kind)
        default: refusal.status == 403
        }
    }

    /// The certificate's own dates, if this machine's clock is outside them.
    private var validity: String? { DeviceCertificate.problemWithDates(of: settings.certificate, now: now) }

    private func remedy(for refusal: ServiceFailure) -> String? {
        if case .transport(let cause) = refusal.kind {
            if let path = settings.certificateAuthorities, [.tls, .certificateUntrusted].contains(cause.kind) {
                return "Its authorities are those in \(path.sanitized(limit: 256)) (certificateAuthorities)."
            }
            guard cause.kind == .clientCertificate else { return nil }
            return
                "The certificate \(DeviceCertificate.name(of: settings.certificate)) is revoked, inactive, expired or not "
                + "registered in this account: see aws iot list-certificates, and give the device an active one."
        }
        let (alias, text) = (settings.roleAlias.shown(limit: 128), refusal.message.lowercased())
        if refusal.status == 404 {
            return
                "Create the role alias \"\(alias)\" (\(settings.roleAlias.name)), or check its name and the endpoint's "
                + "account and region: aws iot list-role-aliases."
        }
        if text.contains("thing name") {
            let thing = settings.thingName?.shown(limit: 128) ?? ""
            return
                "Attach the certificate to the thing \"\(thing)\" (aws iot attach-thing-principal), or correct or leave out "
                + "the thing's name."
        }
        if text.contains("certificate is invalid") {
            return "Use the endpoint of the account and region in which the certificate is registered: aws iot "
                + "describe-endpoint --endpoint-type iot:CredentialProvider."
        }
        switch refusal.status {
        case 403:
            return
                "Is the certificate revoked or inactive? If it is active, allow iot:AssumeRoleWithCertificate for the role "
                + "alias \"\(alias)\" in a policy that is attached to it."
        case 400:
            return
                "Check the role behind the role alias \"\(alias)\": it must trust credentials.iot.amazonaws.com and allow "
                + "sessions as long as the alias asks for (aws iot describe-role-alias --role-alias \(alias))."
        default: return nil
        }
    }
}

extension ServiceFailure {
    /// The same failure of a kind without a general remedy, because the message already says what to do.
    fileprivate var withoutOwnRemedy: ServiceFailure {
        ServiceFailure(.other, code: code, message: message, requestID: requestID, status: status)
    }
}
