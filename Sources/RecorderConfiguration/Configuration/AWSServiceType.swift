package import RecorderAWS

/// The AWS services that this package calls.
public enum AWSServiceType: Int, Sendable, CaseIterable {
    /// No service, or one that this package does not call.
    case Unknown = 0
    /// Cognito identity pools.
    case CognitoIdentity
    /// Data Firehose.
    case Firehose
    /// Kinesis Data Streams.
    case Kinesis
    /// The Security Token Service.
    case STS

    /// The older spelling of `Unknown`.
    @available(*, deprecated, renamed: "Unknown")
    public static let unknown = AWSServiceType.Unknown
    /// The older spelling of `CognitoIdentity`.
    @available(*, deprecated, renamed: "CognitoIdentity")
    public static let cognitoIdentity = AWSServiceType.CognitoIdentity
    /// The older spelling of `Firehose`.
    @available(*, deprecated, renamed: "Firehose")
    public static let firehose = AWSServiceType.Firehose
    /// The older spelling of `Kinesis`.
    @available(*, deprecated, renamed: "Kinesis")
    public static let kinesis = AWSServiceType.Kinesis
    /// The older spelling of `STS`.
    @available(*, deprecated, renamed: "STS")
    public static let sts = AWSServiceType.STS

    /// The service in the type that calls use; nil for `Unknown`.
    package var service: AWSService? {
        switch self {
        case .Unknown: nil
        case .CognitoIdentity: .cognitoIdentity
        case .Firehose: .firehose
        case .Kinesis: .kinesis
        case .STS: .sts
        }
    }

    /// The type of a service.
    package init(_ service: AWSService) {
        self = Self.allCases.first { $0.service == service } ?? .Unknown
    }
}
