@_exported public import ServiceClientHTTP
