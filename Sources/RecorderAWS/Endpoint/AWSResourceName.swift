/// An Amazon Resource Name: `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`.
package struct AWSResourceName: Sendable, Hashable, CustomStringConvertible {
    /// The whole ARN, as it was given.
    package let text: String

    /// The part of AWS, such as `aws` or `aws-cn`; not empty.
    package let partition: String

    /// The service, such as `kinesis`; not empty.
    package let service: String

    /// The region's name; empty if the resource belongs to none.
    package let region: String

    /// The number of the account; empty if the resource belongs to none.
    package let account: String

    /// What follows the account, such as `stream/orders`; not empty.
    package let resource: String

    /// The parts of an ARN; nil if the text has not the form of one.
    ///
    /// Accepts what `aws.parseArn` accepts in the rules for endpoints: region and account are not checked.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "arn", !parts[1].isEmpty, !parts[2].isEmpty, !parts[5].isEmpty else {
            return nil
        }
        self.text = text
        partition = parts[1]
        service = parts[2]
        region = parts[3]
        account = parts[4]
        resource = parts[5]
    }

    /// The parts of the resource, which `:` and `/` separate.
    package var resourceParts: [String] {
        resource.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "/" }.map(String.init)
    }

    package var description: String { text }

    /// Whether a text is an ARN, or is meant to be one: no other name begins so.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix("arn:") }
}

extension AWSResourceName {
    /// The ARN of a stream of Kinesis or Firehose. Throws an error that quotes the wrong part and says what belongs there.
    package init(stream text: String, of service: AWSService) throws(ConfigurationFailure) {
        let form = "arn:aws:\(service.signingName):eu-west-1:123456789012:\(service.streamResource)/NAME"
        let quoted = "\"\(text.sanitized(limit: 300))\""
        guard let name = AWSResourceName(text) else {
            throw ConfigurationFailure("\(quoted) is not an ARN: write \(form), or the stream's name alone.")
        }
        let problem: String? =
            if name.service != service.signingName {
                "its service is \"\(name.service.sanitized(limit: 64))\", but a stream of \(service.signingName) is needed"
            } else if name.region.isEmpty {
                "it has no region"
            } else if !name.hasAccount {
                "its account is \"\(name.account.sanitized(limit: 64))\", and an account's number has 12 digits"
            } else if name.streamName == nil || !name.resource.hasPrefix("\(service.streamResource)/") {
                "it must end in \"\(service.streamResource)/\" and the stream's name"
            } else {
                nil
            }
        if let problem {
            throw ConfigurationFailure("The stream's ARN \(quoted) cannot be used: \(problem). Write it as \(form).")
        }
        self = name
    }

    /// The name of the stream in the ARN of a stream; nil for another resource.
    ///
    /// The service's rules for names are not checked.
    package var streamName: String? {
        let parts = resourceParts
        guard parts.count == 2, parts[0] == "stream" || parts[0] == "deliverystream", !parts[1].isEmpty else {
            return nil
        }
        return parts[1]
    }

    /// Throws an error that names both regions, or both partitions, if requests to this region cannot concern the resource.
    package func check(in region: Region) throws(ConfigurationFailure) {
        let quoted = "\"\(text.sanitized(limit: 300))\""
        let own = Partition(of: region).name
        guard self.region == region.name else {
            throw ConfigurationFailure(
                "The stream's ARN \(quoted) is of the region \(self.region.sanitized(limit: 64)), but requests go to "
                    + "\(region.name): configure \(self.region.sanitized(limit: 64)), or use the ARN of a stream in \(region.name)."
            )
        }
        guard partition == own else {
            throw ConfigurationFailure(
                "The stream's ARN \(quoted) is of the partition \(partition.sanitized(limit: 64)), but the region "
                    + "\(region.name) belongs to \(own): write it as arn:\(own):\(text.dropFirst(5 + partition.count).sanitizedText)."
            )
        }
    }

    /// Whether there is an account, in the form of one.
    private var hasAccount: Bool { account.isAccountID }
}

extension String {
    /// Whether this has the form of an account's ID: 12 digits.
    var isAccountID: Bool {
        utf8.count == 12 && utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension AWSService {
    /// What the ARN of one of its streams has before the name.
    fileprivate var streamResource: String { self == .firehose ? "deliverystream" : "stream" }
}

extension Substring {
    fileprivate var sanitizedText: String { String(self).sanitized(limit: 300) }
}
