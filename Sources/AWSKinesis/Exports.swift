// `import AWSKinesis` brings AWSCore with it, as it did on iOS.
@_exported public import AWSCore
