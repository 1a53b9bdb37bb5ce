extension Endpoint {
    /// The public endpoint of a service in a region.
    ///
    /// `usingFIPS` asks for a host with cryptography validated for the United States' government, `dualStack` for one with
    /// IPv6 addresses too. Whether AWS has such a host is not known here: where it has none, its name has no address.
    package static func standard(
        for service: AWSService,
        in region: Region,
        usingFIPS: Bool = false,
        dualStack: Bool = false
    ) -> Endpoint {
        let partition = Partition(of: region)
        let isDualStack = dualStack && service.hasDualStackHost(in: region, partition, usingFIPS: usingFIPS)
        // In the government's regions the plain hosts of some services are the validated ones.
        let isPlain = !usingFIPS || partition.isGovernment && service.isValidatedInGovernment && !isDualStack
        let suffix = isDualStack ? partition.dualStackSuffix : partition.dnsSuffix
        return Endpoint(publicHost: "\(service.endpointPrefix)\(isPlain ? "" : "-fips").\(region.name).\(suffix)")
    }
}

extension AWSService {
    fileprivate var isValidatedInGovernment: Bool { self == .kinesis || self == .sts }

    /// Cognito's plain hosts in the commercial regions are all that there are, and so are its validated ones in four.
    fileprivate func hasDualStackHost(in region: Region, _ partition: Partition, usingFIPS: Bool) -> Bool {
        guard self == .cognitoIdentity, partition.isCommercial else { return true }
        return usingFIPS && !["us-east-1", "us-east-2", "us-west-1", "us-west-2"].contains(region.name)
    }
}
