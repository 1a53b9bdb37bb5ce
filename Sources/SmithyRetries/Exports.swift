// What smithy-swift has in the module of this name.
@_exported public import struct AWSServiceClients.ExponentialBackoffStrategy
