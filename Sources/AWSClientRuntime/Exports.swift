// What the AWS SDK for Swift has in the module of this name.
@_exported public import enum AWSServiceClients.AWSRetryMode
@_exported public import protocol AWSServiceClients.AWSServiceError
@_exported public import enum AWSServiceClients.AccountIDEndpointMode
@_exported public import struct AWSServiceClients.UnknownAWSHTTPServiceError
