// What smithy-swift has in the module of this name.
@_exported public import struct AWSServiceClients.AWSCredentialIdentity
@_exported public import protocol AWSServiceClients.AWSCredentialIdentityResolver
@_exported public import struct AWSServiceClients.StaticAWSCredentialIdentityResolver
