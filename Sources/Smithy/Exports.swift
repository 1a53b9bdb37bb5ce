// What smithy-swift has in the module of this name.
@_exported public import struct AWSServiceClients.Attributes
@_exported public import enum ServiceClientHTTP.ByteStream
@_exported public import struct ServiceClientHTTP.URI
@_exported public import enum ServiceClientHTTP.URIScheme
