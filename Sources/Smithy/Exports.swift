// What smithy-swift has in the module of this name.
@_exported public import struct AWSServiceClients.Attributes
@_exported public import enum SmithyHTTPAPI.ByteStream
@_exported public import struct SmithyHTTPAPI.URI
@_exported public import enum SmithyHTTPAPI.URIScheme
