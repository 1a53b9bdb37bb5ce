/// How the public hosts of a service depend on the operation, its input and the account.
struct EndpointRules: Sendable, Hashable {
    let service: AWSService
    let parameters: EndpointParameters

    /// The endpoint of one request. Throws an error that quotes what the rules have no host for.
    ///
    /// The account is that of the credentials that sign the request. An unsigned request goes to a host without account.
    func endpoint(
        of operation: String,
        context: EndpointContext,
        accountID: String?,
        isSigned: Bool
    ) throws(ConfigurationFailure) -> Endpoint {
        var parameters = parameters
        parameters.context = context
        (parameters.operationType, parameters.resourceType) = service.endpointValues(of: operation)
        parameters.accountID = accountID
        if !isSigned { parameters.accountIDEndpointMode = .disabled }
        guard let host = parameters.host(of: service), host.utf8.allSatisfy(Self.isOfHost) else {
            throw failure(of: operation, with: parameters)
        }
        // The rules accept any text that can be in a host.
        if let accountID, !accountID.isAccountID, host.hasPrefix("\(accountID).") { throw Self.failure(of: accountID) }
        return Endpoint(publicHost: host.lowercased())
    }

    private static func isOfHost(_ byte: UInt8) -> Bool {
        Endpoint.isLetterOrDigit(UnicodeScalar(byte)) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}

extension Endpoint {
    /// The public endpoint of a service in a region, with the rules for operations and accounts that have other hosts.
    ///
    /// `usingFIPS` selects a host with cryptography validated under FIPS 140, `dualStack` one that also has IPv6 addresses.
    /// Whether AWS has such a host is not known here; if not, its name does not resolve.
    package static func standard(
        for service: AWSService,
        in region: Region,
        usingFIPS: Bool = false,
        dualStack: Bool = false,
        accountIDEndpointMode: AccountHostMode = .preferred
    ) -> Endpoint {
        var parameters = EndpointParameters(
            region: region,
            usesFIPS: usingFIPS || region.usesFIPS,
            usesDualStack: dualStack,
            accountIDEndpointMode: accountIDEndpointMode
        )
        let rules = EndpointRules(service: service, parameters: parameters)
        parameters.accountIDEndpointMode = .disabled
        let host = parameters.host(of: service) ?? parameters.usualHost(service.signingName)
        return Endpoint(publicHost: host, rules: rules)
    }
}

extension EndpointRules {
    /// Why there is no host for these parameters.
    private func failure(of operation: String, with given: EndpointParameters) -> ConfigurationFailure {
        var plain = given
        plain.context = EndpointContext()
        let members = given.context.given
        if let member = members.first(where: { $0.name.hasSuffix("ARN") }) ?? members.first,
            plain.host(of: service) != nil
        {
            return ConfigurationFailure(
                "\(operation): requests to \(given.region) cannot be about the \(member.name) "
                    + "\"\(member.value.sanitized(limit: 300))\". Write it as \(example(of: member.name))."
            )
        }
        if let accountID = given.accountID, !accountID.isAccountID { return Self.failure(of: accountID) }
        plain.accountID = "123456789012"
        let reason =
            plain.host(of: service) == nil
            ? "AWS has no hosts with an account's ID in \(given.region): set it to preferred."
            : "the credentials come without the account's ID: set AWS_ACCOUNT_ID, or aws_account_id in the profile; or set the "
                + "mode to preferred."
        return ConfigurationFailure("AWS_ACCOUNT_ID_ENDPOINT_MODE is required, but \(reason)")
    }

    private static func failure(of accountID: String) -> ConfigurationFailure {
        ConfigurationFailure(
            "The account ID \"\(accountID.sanitized(limit: 64))\" does not have 12 digits: correct AWS_ACCOUNT_ID, "
                + "aws_account_id in the profile, or what your credentials provider returns; or set "
                + "AWS_ACCOUNT_ID_ENDPOINT_MODE to disabled, for hosts without it."
        )
    }

    private func example(of member: String) -> String {
        let resource: String
        switch member {
        case "StreamId": return "letters, digits and hyphens"
        case "ConsumerARN": resource = "stream/NAME/consumer/NAME:NUMBER"
        case "ChannelARN": resource = "channel/ID"
        case "QueueARN": resource = "queue/ID"
        default: resource = "stream/NAME"
        }
        return "arn:\(parameters.partition.name):kinesis:\(parameters.region):123456789012:\(resource)"
    }
}
