/// The names under which an AWS service is called.
package struct AWSService: Sendable, Hashable {
    /// The name in a signature's scope.
    package let signingName: String

    /// The prefix of the operation in `X-Amz-Target`; nil for a service that takes forms instead of JSON.
    package let targetPrefix: String?

    /// The environment variable that overrides the endpoint of this service only.
    package let endpointVariable: String

    /// The first label of its usual hosts, if that is not the signing name.
    var hostLabel: String?

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

    /// IAM Identity Center's portal, which gives the keys of a role for a token.
    static let identityCenter = AWSService(
        signingName: "sso",
        targetPrefix: nil,
        endpointVariable: "AWS_ENDPOINT_URL_SSO",
        hostLabel: "portal.sso"
    )

    /// IAM Identity Center's sign-in, which renews tokens.
    static let identityCenterSignIn = AWSService(
        signingName: "sso-oidc",
        targetPrefix: nil,
        endpointVariable: "AWS_ENDPOINT_URL_SSO_OIDC",
        hostLabel: "oidc"
    )

    /// The sign-in of `aws login`, which renews its keys.
    static let signIn = AWSService(
        signingName: "signin",
        targetPrefix: nil,
        endpointVariable: "AWS_ENDPOINT_URL_SIGNIN"
    )
}
