// The service's own client, which `getKinesisClient()` returns.
@_exported public import AWSKinesisClient
@_exported public import AWSServiceClients
// `import AmplifyKinesisClient` also imports the types that its calls return, as in Amplify for Swift.
@_exported public import AmplifyRecordCache
