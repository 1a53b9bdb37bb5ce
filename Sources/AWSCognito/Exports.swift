@_exported public import AWSCore
