/// The names under which an AWS service is called.
package struct AWSService: Sendable, Hashable {
    /// The name in a signature's scope.
    package let signingName: String

    /// The prefix of the operation in `X-Amz-Target`; nil for a service that takes forms instead of JSON.
    package let targetPrefix: String?

    /// The environment variable that overrides the endpoint of this service only.
    package let endpointVariable: String

    /// The name in a `services` section of the shared configuration file.
    var configurationName: String { String(signingName.map { $0 == "-" ? "_" : $0 }) }

    /// Kinesis Data Streams.
    package static let kinesis = AWSService(
        signingName: "kinesis",
        targetPrefix: "Kinesis_20131202",
        endpointVariable: "AWS_ENDPOINT_URL_KINESIS"
    )

    /// Data Firehose.
    package static let firehose = AWSService(
        signingName: "firehose",
        targetPrefix: "Firehose_20150804",
        endpointVariable: "AWS_ENDPOINT_URL_FIREHOSE"
    )

    /// Cognito identity pools.
    package static let cognitoIdentity = AWSService(
        signingName: "cognito-identity",
        targetPrefix: "AWSCognitoIdentityService",
        endpointVariable: "AWS_ENDPOINT_URL_COGNITO_IDENTITY"
    )

    /// The Security Token Service.
    package static let sts = AWSService(
        signingName: "sts",
        targetPrefix: nil,
        endpointVariable: "AWS_ENDPOINT_URL_STS"
    )
}
