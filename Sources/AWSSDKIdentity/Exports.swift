// What the AWS SDK for Swift has in the module of this name. `StaticAWSCredentialIdentityResolver` was here in its earlier
// versions and is in `SmithyIdentity` now.
@_exported public import struct AWSServiceClients.DefaultAWSCredentialIdentityResolverChain
@_exported public import struct AWSServiceClients.StaticAWSCredentialIdentityResolver
