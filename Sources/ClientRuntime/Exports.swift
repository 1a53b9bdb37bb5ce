// What smithy-swift has in the module of this name.
@_exported public import enum AWSServiceClients.ClientLogMode
@_exported public import enum AWSServiceClients.ErrorFault
@_exported public import struct AWSServiceClients.HTTPClientConfiguration
@_exported public import typealias AWSServiceClients.HttpClientConfiguration
@_exported public import protocol AWSServiceClients.ModeledError
