public import Foundation

/// A region of AWS, with the AWS SDK's raw values and names.
///
/// Regions that AWS opened after that SDK's last release are at the end. A region that is not listed can be used through
/// the environment variable `AWS_REGION`.
public enum AWSRegionType: Int, Sendable, CaseIterable {
    /// No region, or one that is not listed; calls fail with it.
    case Unknown = 0
    /// US East (N. Virginia), `us-east-1`.
    case USEast1
    /// US East (Ohio), `us-east-2`.
    case USEast2
    /// US West (N. California), `us-west-1`.
    case USWest1
    /// US West (Oregon), `us-west-2`.
    case USWest2
    /// Europe (Ireland), `eu-west-1`.
    case EUWest1
    /// Europe (London), `eu-west-2`.
    case EUWest2
    /// Europe (Frankfurt), `eu-central-1`.
    case EUCentral1
    /// Asia Pacific (Singapore), `ap-southeast-1`.
    case APSoutheast1
    /// Asia Pacific (Tokyo), `ap-northeast-1`.
    case APNortheast1
    /// Asia Pacific (Seoul), `ap-northeast-2`.
    case APNortheast2
    /// Asia Pacific (Sydney), `ap-southeast-2`.
    case APSoutheast2
    /// Asia Pacific (Mumbai), `ap-south-1`.
    case APSouth1
    /// South America (São Paulo), `sa-east-1`.
    case SAEast1
    /// China (Beijing), `cn-north-1`.
    case CNNorth1
    /// Canada (Central), `ca-central-1`.
    case CACentral1
    /// AWS GovCloud (US-West), `us-gov-west-1`.
    case USGovWest1
    /// China (Ningxia), `cn-northwest-1`.
    case CNNorthWest1
    /// Europe (Paris), `eu-west-3`.
    case EUWest3
    /// AWS GovCloud (US-East), `us-gov-east-1`.
    case USGovEast1
    /// Europe (Stockholm), `eu-north-1`.
    case EUNorth1
    /// Asia Pacific (Hong Kong), `ap-east-1`.
    case APEast1
    /// Middle East (Bahrain), `me-south-1`.
    case MESouth1
    /// Africa (Cape Town), `af-south-1`.
    case AFSouth1
    /// Europe (Milan), `eu-south-1`.
    case EUSouth1
    /// Asia Pacific (Osaka), `ap-northeast-3`.
    case APNortheast3
    /// Asia Pacific (Jakarta), `ap-southeast-3`.
    case APSoutheast3
    /// Middle East (UAE), `me-central-1`.
    case MECentral1
    /// Europe (Zurich), `eu-central-2`.
    case EUCentral2
    /// Europe (Spain), `eu-south-2`.
    case EUSouth2
    /// Asia Pacific (Hyderabad), `ap-south-2`.
    case APSouth2
    /// Asia Pacific (Melbourne), `ap-southeast-4`.
    case APSoutheast4
    /// Israel (Tel Aviv), `il-central-1`.
    case ILCentral1
    /// Canada West (Calgary), `ca-west-1`.
    case CAWest1
    /// Asia Pacific (Malaysia), `ap-southeast-5`.
    case APSoutheast5
    /// Mexico (Central), `mx-central-1`.
    case MXCentral1
    /// Asia Pacific (Thailand), `ap-southeast-7`.
    case APSoutheast7
    /// Asia Pacific (Taipei), `ap-east-2`.
    case APEast2
    /// Asia Pacific (New Zealand), `ap-southeast-6`.
    case APSoutheast6
    /// AWS European Sovereign Cloud (Germany), `eusc-de-east-1`.
    case EUSCDEEast1

    /// The region with this name, such as `us-east-1`, or with this case name, ignoring upper and lower case; otherwise
    /// `Unknown`.
    public init(name: String) {
        let wanted = name.lowercased()
        self =
            Self.allCases.first { $0.name == wanted || String(describing: $0).lowercased() == wanted } ?? .Unknown
    }

    /// The name that AWS uses, such as `us-east-1`; nil for `Unknown`.
    public var name: String? { Self.names[self] }

    private static let names: [AWSRegionType: String] = [
        .USEast1: "us-east-1",
        .USEast2: "us-east-2",
        .USWest1: "us-west-1",
        .USWest2: "us-west-2",
        .EUWest1: "eu-west-1",
        .EUWest2: "eu-west-2",
        .EUCentral1: "eu-central-1",
        .APSoutheast1: "ap-southeast-1",
        .APNortheast1: "ap-northeast-1",
        .APNortheast2: "ap-northeast-2",
        .APSoutheast2: "ap-southeast-2",
        .APSouth1: "ap-south-1",
        .SAEast1: "sa-east-1",
        .CNNorth1: "cn-north-1",
        .CACentral1: "ca-central-1",
        .USGovWest1: "us-gov-west-1",
        .CNNorthWest1: "cn-northwest-1",
        .EUWest3: "eu-west-3",
        .USGovEast1: "us-gov-east-1",
        .EUNorth1: "eu-north-1",
        .APEast1: "ap-east-1",
        .MESouth1: "me-south-1",
        .AFSouth1: "af-south-1",
        .EUSouth1: "eu-south-1",
        .APNortheast3: "ap-northeast-3",
        .APSoutheast3: "ap-southeast-3",
        .MECentral1: "me-central-1",
        .EUCentral2: "eu-central-2",
        .EUSouth2: "eu-south-2",
        .APSouth2: "ap-south-2",
        .APSoutheast4: "ap-southeast-4",
        .ILCentral1: "il-central-1",
        .CAWest1: "ca-west-1",
        .APSoutheast5: "ap-southeast-5",
        .MXCentral1: "mx-central-1",
        .APSoutheast7: "ap-southeast-7",
        .APEast2: "ap-east-2",
        .APSoutheast6: "ap-southeast-6",
        .EUSCDEEast1: "eusc-de-east-1",
    ]
}

extension NSString {
    /// The region with this name, such as `us-east-1`; `Unknown` if there is none.
    public func aws_regionTypeValue() -> AWSRegionType { AWSRegionType(name: String(self)) }
}

extension String {
    /// The region with this name, such as `us-east-1`; `Unknown` if there is none.
    public func aws_regionTypeValue() -> AWSRegionType { AWSRegionType(name: self) }
}
